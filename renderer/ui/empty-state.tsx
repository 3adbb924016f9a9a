import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** A place with nothing in it yet: says what belongs here and offers the buttons that bring it. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  actions,
}: {
  /** None where a picture stands above. */
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className={classes['empty']}>
      {Icon !== undefined && (
        <div className={classes['icon']}>
          <Icon size={22} strokeWidth={1.6} aria-hidden />
        </div>
      )}
      <h2 className={classes['title']}>{title}</h2>
      {children !== undefined && <div className={classes['text']}>{children}</div>}
      {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
    </div>
  );
}
