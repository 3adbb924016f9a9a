import { type RefCallback, useCallback, useEffect, useLayoutEffect, useState } from 'react';

export interface Fitting {
  /** For the row whose children have to fit; those that count carry `data-fit`. */
  readonly row: RefCallback<HTMLElement>;
  /** How many of the children are shown, from the first on. */
  readonly count: number;
  /** All children are in the row, unseen, so that their widths can be learned. */
  readonly measuring: boolean;
}

/**
 * How many children of a row fit into its width when what does not fit goes behind a button of `restWidth` pixels.
 * Every child is laid out once, hidden, to learn where it ends; `key` says when to learn anew.
 */
export function useFittingCount(restWidth: number, key: string): Fitting {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [ends, setEnds] = useState<{ readonly key: string; readonly list: readonly number[] } | null>(null);
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  const measuring = ends === null || ends.key !== key;

  useLayoutEffect(() => {
    if (element === null) return;
    const measure = () => setRoom(innerWidth(element));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [element]);

  // The letters of a font that came late are wider or narrower than those that were measured.
  useEffect(() => {
    const again = () => setEnds(null);
    document.fonts.addEventListener('loadingdone', again);
    return () => document.fonts.removeEventListener('loadingdone', again);
  }, []);

  useLayoutEffect(() => {
    if (!measuring || element === null) return;
    const start = element.getBoundingClientRect().left + paddingOf(element).left;
    const items = element.querySelectorAll<HTMLElement>('[data-fit]');
    setEnds({ key, list: [...items].map((item) => item.getBoundingClientRect().right - start) });
  }, [measuring, key, element]);

  return {
    row: useCallback((next) => setElement(next), []),
    count: measuring ? Number.POSITIVE_INFINITY : fittingCount(ends.list, room, restWidth),
    measuring,
  };
}

/** `ends`: where each child ends, in pixels from the start; all of them, or as many as leave `restWidth` free. */
export function fittingCount(ends: readonly number[], room: number, restWidth: number): number {
  if ((ends.at(-1) ?? 0) <= room) return ends.length;
  return ends.filter((end) => end <= room - restWidth).length;
}

function innerWidth(element: HTMLElement): number {
  const { left, right } = paddingOf(element);
  return element.clientWidth - left - right;
}

function paddingOf(element: HTMLElement): { readonly left: number; readonly right: number } {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return { left: Number.parseFloat(paddingLeft) || 0, right: Number.parseFloat(paddingRight) || 0 };
}
