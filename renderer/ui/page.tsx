import type { ReactNode } from 'react';
import classes from './page.module.css';

/** One room: a top row with its name, the toolbar and its own buttons, and a body that scrolls. */
export function Page({
  title,
  back,
  toolbar,
  actions,
  children,
  flush = false,
}: {
  title: ReactNode;
  /** Before the title: the way back to the list. */
  back?: ReactNode;
  toolbar?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The body brings its own padding and scrolling. */
  flush?: boolean;
}) {
  return (
    <div className={classes['page']}>
      <header className={classes['head']}>
        {back}
        <h1 className={classes['title']}>{title}</h1>
        {toolbar !== undefined && <div className={classes['toolbar']}>{toolbar}</div>}
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </header>
      {flush ? (
        <div className={classes['flush']}>{children}</div>
      ) : (
        <div className={classes['scroll']}>
          <div className={classes['body']}>{children}</div>
        </div>
      )}
    </div>
  );
}
