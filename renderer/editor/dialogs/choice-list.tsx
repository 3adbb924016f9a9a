import { TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import classes from './choice-list.module.css';

export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Below the name; of a choice that is off, why it is. */
  readonly about: string;
  readonly icon: ReactNode;
  readonly off: boolean;
}

const rowHeight = 46;
const shownRows = 8;

/** A search field over a list: arrows choose, Enter takes, and the focus stays in the field. */
export function ChoiceList({
  label,
  placeholder,
  choices,
  nothing,
  query,
  onQuery,
  onTake,
}: {
  label: string;
  placeholder: string;
  /** Those that hold the query, in their order. */
  choices: readonly Choice[];
  nothing: string;
  query: string;
  onQuery: (query: string) => void;
  onTake: (id: string) => void;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const first = useMemo(
    () =>
      Math.max(
        0,
        choices.findIndex((choice) => !choice.off),
      ),
    [choices],
  );
  useEffect(() => setActive(first), [first]);
  const rows = useVirtualizer({
    count: choices.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 400, height: rowHeight * shownRows },
  });
  const take = (choice: Choice | undefined) => {
    if (choice !== undefined && !choice.off) onTake(choice.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: shownRows, PageUp: -shownRows }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const next = Math.min(choices.length - 1, Math.max(0, active + move));
      setActive(next);
      rows.scrollToIndex(next);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      take(choices[active]);
    }
  };
  return (
    <div className={classes['choices']}>
      <TextInput
        data-autofocus
        value={query}
        placeholder={placeholder}
        aria-label={placeholder}
        leftSection={<Search size={14} aria-hidden />}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${active}` : undefined}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div
        ref={box}
        className={classes['scroll']}
        style={{ height: Math.min(shownRows, Math.max(1, choices.length)) * rowHeight }}
      >
        <div
          id={id}
          role="listbox"
          aria-label={label}
          className={classes['list']}
          style={{ height: rows.getTotalSize() }}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const choice = choices[index];
            return (
              choice !== undefined && (
                // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active row.
                // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the search field does the same.
                <div
                  key={choice.id}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  aria-disabled={choice.off || undefined}
                  className={classes['row']}
                  data-active={index === active || undefined}
                  data-off={choice.off || undefined}
                  style={{ transform: `translateY(${start}px)` }}
                  onPointerMove={() => setActive(index)}
                  onClick={() => take(choice)}
                >
                  <span className={classes['icon']}>{choice.icon}</span>
                  <span className={classes['text']}>
                    <span className={classes['name']}>{choice.name}</span>
                    {choice.about !== '' && <span className={classes['about']}>{choice.about}</span>}
                  </span>
                </div>
              )
            );
          })}
        </div>
        {choices.length === 0 && <p className={classes['nothing']}>{nothing}</p>}
      </div>
    </div>
  );
}
