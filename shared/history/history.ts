/** One value with what it was before and what was undone; never changed in place. */
export interface History<T> {
  readonly present: T;
  /** Oldest first. `value` is what an undo brings back; `label` names the change that led away from it. */
  readonly past: readonly HistoryEntry<T>[];
  /** Next redo last. `value` is what a redo brings back; `label` names the change that leads to it. */
  readonly future: readonly HistoryEntry<T>[];
  /** The group of the newest change, as long as it can still grow. */
  readonly group: string | null;
}

export interface HistoryEntry<T> {
  readonly value: T;
  readonly label: string;
}

/** Older entries than this many are forgotten. */
export const historyLimit = 1000;

export function createHistory<T>(value: T): History<T> {
  return { present: value, past: [], future: [], group: null };
}

/**
 * Makes `value` the present and forgets what could be redone. Pushes in a row with the same `group` are one entry: one
 * undo takes them all back, and the entry carries the newest label. A value that is the present already adds nothing.
 */
export function push<T>(history: History<T>, value: T, label: string, group?: string): History<T> {
  if (Object.is(value, history.present)) return history;
  const grows = group !== undefined && group === history.group && history.past.length > 0;
  const past = grows
    ? [...history.past.slice(0, -1), { value: history.past.at(-1)!.value, label }]
    : [...history.past.slice(-(historyLimit - 1)), { value: history.present, label }];
  return { present: value, past, future: [], group: group ?? null };
}

/** Brings back the value before the newest change; the same history when there is none. */
export function undo<T>(history: History<T>): History<T> {
  const entry = history.past.at(-1);
  if (entry === undefined) return history;
  return {
    present: entry.value,
    past: history.past.slice(0, -1),
    future: [...history.future, { value: history.present, label: entry.label }],
    group: null,
  };
}

/** Makes the change again that was undone last; the same history when there is none. */
export function redo<T>(history: History<T>): History<T> {
  const entry = history.future.at(-1);
  if (entry === undefined) return history;
  return {
    present: entry.value,
    past: [...history.past, { value: history.present, label: entry.label }],
    future: history.future.slice(0, -1),
    group: null,
  };
}

/** What the next undo takes back, or null. */
export function undoLabel<T>(history: History<T>): string | null {
  return history.past.at(-1)?.label ?? null;
}

/** What the next redo makes again, or null. */
export function redoLabel<T>(history: History<T>): string | null {
  return history.future.at(-1)?.label ?? null;
}
