/** One end for a piece of work: its time is over, or it was called off. */
export interface CallLimit {
  /** Aborted at the end. */
  readonly signal: AbortSignal;
  /** What came first; null while neither has. */
  readonly reached: 'time' | 'cancelled' | null;
  /** Milliseconds of the limit that holds. */
  readonly timeoutMs: number;
  /** Begins anew with another limit, unless the end has come. */
  restart(timeoutMs: number): void;
  /** The work is done; nothing is watched any more. */
  release(): void;
}

/** `timeoutMs`: milliseconds from now. */
export function createCallLimit(signal: AbortSignal, timeoutMs: number): CallLimit {
  const controller = new AbortController();
  let reached: CallLimit['reached'] = null;
  const end = (what: 'time' | 'cancelled') => {
    reached ??= what;
    release();
    controller.abort();
  };
  const onAbort = () => end('cancelled');
  let limitMs = timeoutMs;
  // Longer waits than this would fire at once.
  const startTimer = () => setTimeout(() => end('time'), Math.min(limitMs, 2 ** 31 - 1));
  let timer = startTimer();
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    signal: controller.signal,
    get reached() {
      return reached;
    },
    get timeoutMs() {
      return limitMs;
    },
    restart(next) {
      if (reached !== null) return;
      clearTimeout(timer);
      limitMs = next;
      timer = startTimer();
    },
    release,
  };
}

/** The work's result, or a rejection as soon as the signal is aborted; the work itself may go on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits for the work, but not longer than this; true when it ended. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([ended, over]);
  clearTimeout(timer);
  return result;
}
