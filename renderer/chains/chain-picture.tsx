import classes from './chain-picture.module.css';

const boxes = [
  { x: 4, y: 38, tone: 'ok' },
  { x: 116, y: 8, tone: 'ok' },
  { x: 116, y: 68, tone: 'run' },
  { x: 228, y: 38, tone: 'idle' },
] as const;
const wires = [
  'M84 53 C 104 53, 96 23, 116 23',
  'M84 53 C 104 53, 96 83, 116 83',
  'M196 23 C 216 23, 208 53, 228 53',
  'M196 83 C 216 83, 208 53, 228 53',
];

/** A small chain at work; says nothing that the words beside it do not say. */
export function ChainPicture() {
  return (
    <svg className={classes['picture']} viewBox="0 0 312 106" width={312} height={106} aria-hidden="true">
      {wires.map((wire) => (
        <path key={wire} d={wire} className={classes['wire']} />
      ))}
      {boxes.map(({ x, y, tone }) => (
        <g key={`${x} ${y}`} transform={`translate(${x} ${y})`} data-tone={tone}>
          <rect className={classes['card']} width={80} height={30} rx={7} />
          <circle className={classes['state']} cx={15} cy={15} r={4.5} />
          <rect className={classes['word']} x={27} y={10} width={38} height={4} rx={2} />
          <rect className={classes['word']} x={27} y={18} width={24} height={3} rx={1.5} opacity={0.5} />
        </g>
      ))}
    </svg>
  );
}
