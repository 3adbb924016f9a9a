import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { AppError } from '../../shared/errors/app-error.ts';
import { readError } from '../api/client.ts';

/** Something read from the services as a whole and read again when it changed. */
export interface Loaded<Value> {
  /** Null until the first answer. */
  readonly value: Value | null;
  readonly loading: boolean;
  /** Why the last reading failed; the value before it stays. */
  readonly error: AppError | null;
  /** Reads it again; readings asked for while one is on its way become one further reading. */
  readonly refresh: () => Promise<void>;
}

/** A store over one call. The call is made by `refresh`, never by itself. */
export function createLoadedStore<Value>(load: () => Promise<Value>): UseBoundStore<StoreApi<Loaded<Value>>> {
  let current: Promise<void> | null = null;
  let again = false;
  return create<Loaded<Value>>((set) => {
    const read = async () => {
      set({ loading: true });
      do {
        again = false;
        try {
          set({ value: await load(), error: null });
        } catch (thrown) {
          set({ error: readError(thrown) });
        }
      } while (again);
      set({ loading: false });
    };
    return {
      value: null,
      loading: false,
      error: null,
      refresh: () => {
        if (current !== null) {
          again = true;
          return current;
        }
        current = read().finally(() => {
          current = null;
        });
        return current;
      },
    };
  });
}
