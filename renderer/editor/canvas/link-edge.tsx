import { BaseEdge, type EdgeProps, EdgeToolbar, getBezierPath } from '@xyflow/react';
import { Plus, X } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStepState } from '../../stores/run-store.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { dotSize, handleSize, type LinkEdge as LinkEdgeType } from './flow-nodes.ts';
import classes from './link-edge.module.css';
import { type LinkPath, routedPath } from './link-path.ts';

/** A wire: the step on the right waits for the one on the left. Its buttons come when it is pointed at or chosen. */
export const LinkEdge = memo(LinkEdgeView);

const hoverGraceMs = 250;

function LinkEdgeView(props: EdgeProps<LinkEdgeType>) {
  const { id, source, target, selected, data } = props;
  const { path, middle } = pathOf(props);
  const [hovered, setHovered] = useState(false);
  const leave = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const runId = useEditor((state) => state.runId);
  const from = useStepState(runId, source)?.state;
  // While another wire is drawn over this one its buttons would only be in the way.
  const drawing = useEditor((state) => state.connecting !== null);
  const tools = (selected === true || hovered) && !drawing;
  const enter = () => {
    clearTimeout(leave.current);
    setHovered(true);
  };
  const leaveSoon = () => {
    clearTimeout(leave.current);
    leave.current = setTimeout(() => setHovered(false), hoverGraceMs);
  };
  const condition = data?.condition ?? '';
  return (
    <>
      <g
        className={classes['link']}
        data-selected={selected || undefined}
        data-state={from}
        onPointerEnter={enter}
        onPointerLeave={leaveSoon}
      >
        <BaseEdge id={id} path={path} interactionWidth={22} markerEnd="url(#chain-arrow)" />
      </g>
      {condition !== '' && !tools && (
        <text className={classes['condition']} x={middle.x} y={middle.y - 8} textAnchor="middle" aria-hidden>
          {condition.length > 28 ? `${condition.slice(0, 27)}…` : condition}
        </text>
      )}
      {tools && (
        <EdgeToolbar edgeId={id} x={middle.x} y={middle.y} isVisible>
          <LinkTools from={source} to={target} onPointerEnter={enter} onPointerLeave={leaveSoon} />
        </EdgeToolbar>
      )}
    </>
  );
}

/** From the rim of one dot to the rim of the other, through the places to grab around them. */
const inset = (handleSize - dotSize) / 2;

function pathOf(props: EdgeProps<LinkEdgeType>): LinkPath {
  const start = { x: props.sourceX - inset, y: props.sourceY };
  const end = { x: props.targetX + inset, y: props.targetY };
  const routed = routedPath(start, end, props.data?.route);
  if (routed !== null) return routed;
  const [path, x, y] = getBezierPath({ ...props, sourceX: start.x, targetX: end.x });
  return { path, middle: { x, y } };
}

function LinkTools({
  from,
  to,
  onPointerEnter,
  onPointerLeave,
}: {
  from: string;
  to: string;
  onPointerEnter: () => void;
  onPointerLeave: () => void;
}) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  return (
    <div className={classes['tools']} onPointerEnter={onPointerEnter} onPointerLeave={onPointerLeave}>
      <button
        type="button"
        tabIndex={-1}
        className={classes['tool']}
        title={t('link.insert')}
        aria-label={t('link.insert')}
        onClick={() => store.getState().setDialog({ kind: 'add_step', place: { insert: { from, to } } })}
      >
        <Plus size={14} aria-hidden />
      </button>
      <button
        type="button"
        tabIndex={-1}
        className={classes['tool']}
        title={t('link.remove')}
        aria-label={t('link.remove')}
        onClick={() => store.getState().edit({ kind: 'disconnect', from, to })}
      >
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}
