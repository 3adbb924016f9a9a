import type { ReactNode } from 'react';
import classes from './panel.module.css';

/** A titled region with a quiet frame. */
export function Panel({
  title,
  aside,
  children,
  padded = true,
  fill = false,
}: {
  title: string;
  /** At the right end of the title row. */
  aside?: ReactNode;
  children: ReactNode;
  padded?: boolean;
  /** The body takes the height that is left, and scrolls by itself. */
  fill?: boolean;
}) {
  return (
    <section className={classes['panel']} aria-label={title}>
      <header className={classes['head']}>
        <h2 className={classes['title']}>{title}</h2>
        {aside}
      </header>
      <div className={classes['body']} data-padded={padded || undefined} data-fill={fill || undefined}>
        {children}
      </div>
    </section>
  );
}
