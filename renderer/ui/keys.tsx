import classes from './keys.module.css';

/** Key caps. `caps` come from `keyCaps`. */
export function Keys({ caps }: { caps: readonly string[] }) {
  return (
    <span className={classes['keys']}>
      {caps.map((cap) => (
        <kbd key={cap} className={classes['cap']}>
          {cap}
        </kbd>
      ))}
    </span>
  );
}
