import type { ReactNode } from 'react';
import classes from './row-title.module.css';

/** The first cell of a row: a name that is the way in, and one quiet line below it. */
export function RowTitle({ href, title, children }: { href: string | null; title: ReactNode; children?: ReactNode }) {
  return (
    <div className={classes['cell']}>
      {href === null ? (
        <span className={classes['title']}>{title}</span>
      ) : (
        <a className={classes['title']} href={href}>
          {title}
        </a>
      )}
      {children !== undefined && children !== null && children !== '' && (
        <div className={classes['line']}>{children}</div>
      )}
    </div>
  );
}
