import { type RefObject, useLayoutEffect, useState } from 'react';

/**
 * How many of the children of `row` fit into its width, from the first on, when what does not fit goes behind a button
 * of `restWidth` pixels. Every child is laid out once, hidden, to learn its width; `key` says when to learn anew.
 */
export function useFittingCount(
  row: RefObject<HTMLElement | null>,
  restWidth: number,
  key: string,
): { readonly count: number; readonly measuring: boolean } {
  const [widths, setWidths] = useState<{ readonly key: string; readonly list: readonly number[] } | null>(null);
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  const measuring = widths === null || widths.key !== key;

  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    setRoom(element.clientWidth);
    return () => observer.disconnect();
  }, [row]);

  useLayoutEffect(() => {
    const element = row.current;
    if (!measuring || element === null) return;
    const start = element.getBoundingClientRect().left;
    const items = element.querySelectorAll<HTMLElement>('[data-fit]');
    setWidths({ key, list: [...items].map((item) => item.getBoundingClientRect().right - start) });
  }, [measuring, key, row]);

  if (measuring) return { count: Number.POSITIVE_INFINITY, measuring: true };
  const { list } = widths;
  const all = list.at(-1) ?? 0;
  if (all <= room) return { count: list.length, measuring: false };
  const fitting = list.filter((end) => end <= room - restWidth).length;
  return { count: fitting, measuring: false };
}
