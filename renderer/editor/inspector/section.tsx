import { useLocalStorage } from '@mantine/hooks';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import classes from './inspector.module.css';

/** A part of the inspector that folds; whether it is open is remembered for every step alike. */
export function Section({
  name,
  title,
  aside,
  open = true,
  children,
}: {
  name: string;
  title: string;
  aside?: ReactNode;
  /** At the first visit. */
  open?: boolean;
  children: ReactNode;
}) {
  const [opened, setOpened] = useLocalStorage({
    key: `inspector.${name}`,
    defaultValue: open,
    getInitialValueInEffect: false,
  });
  const id = useId();
  return (
    <section className={classes['section']}>
      <h3 className={classes['sectionTitle']}>
        <button type="button" aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
          <ChevronRight size={14} aria-hidden className={classes['chevron']} data-open={opened || undefined} />
          {title}
        </button>
        {aside}
      </h3>
      <div id={id} hidden={!opened} className={classes['sectionBody']}>
        {opened && children}
      </div>
    </section>
  );
}
