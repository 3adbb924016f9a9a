import type { ReactNode } from 'react';
import classes from './tag.module.css';

/** A small label; a toggle when it has `onToggle`. */
export function Tag({
  children,
  pressed,
  onToggle,
}: {
  children: ReactNode;
  pressed?: boolean;
  onToggle?: () => void;
}) {
  if (onToggle === undefined) return <span className={classes['tag']}>{children}</span>;
  return (
    <button type="button" className={classes['tag']} aria-pressed={pressed ?? false} onClick={onToggle}>
      {children}
    </button>
  );
}
