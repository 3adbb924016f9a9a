import type { ReactNode } from 'react';
import classes from './list-bar.module.css';

/** Above a list: search, chips that narrow it, and how many are shown (said to screen readers as it changes). */
export function ListBar({ search, chips, count }: { search?: ReactNode; chips?: ReactNode; count: string }) {
  return (
    <div className={classes['bar']}>
      {search}
      {chips !== undefined && <div className={classes['chips']}>{chips}</div>}
      <span className={classes['count']} role="status">
        {count}
      </span>
    </div>
  );
}
