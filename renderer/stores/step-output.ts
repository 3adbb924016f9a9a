import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { AppError } from '../../shared/errors/app-error.ts';
import { api, readError } from '../api/client.ts';
import { appendOutput, prependOutput, shownLines } from './output-lines.ts';
import { onOutput } from './run-store.ts';

export interface StepOutput {
  readonly lines: readonly string[];
  /** Bytes before the first line that are only in the file. */
  readonly earlierBytes: number;
  /** Fetches the next piece of them. */
  readonly showEarlier: () => void;
  /** Nothing was read yet. */
  readonly reading: boolean;
  readonly error: AppError | null;
}

interface Kept {
  readonly lines: readonly string[];
  readonly from: number;
  readonly reading: boolean;
  readonly error: AppError | null;
}

const pieceBytes = 256 * 1024;
/** The newest part of a file that is fetched at once. */
const firstBytes = 4 * pieceBytes;
const refreshMs = 100;
const nothing: Kept = { lines: [], from: 0, reading: true, error: null };

/**
 * The output of a try, read from its file: the newest megabyte, then what is added, at most ten times a second. The
 * events of the run only say that there is more; the file is the truth. `tryNumber` 0: there is none yet.
 */
export function useStepOutput(runId: string, stepId: string, tryNumber: number): StepOutput {
  const [kept, setKept] = useState<Kept>(nothing);
  const latest = useRef(kept);
  latest.current = kept;

  useEffect(() => {
    setKept(tryNumber < 1 ? { ...nothing, reading: false } : nothing);
    if (tryNumber < 1) return;
    const stop = new AbortController();
    let next: number | null = null;
    let busy = false;
    let again = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const readOn = async () => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      try {
        let size: number;
        do {
          again = false;
          const asked = next ?? -firstBytes;
          const piece = await api.runs.log(
            { run_id: runId, step_id: stepId, try: tryNumber, offset: asked },
            { signal: stop.signal },
          );
          if (stop.signal.aborted) return;
          const isFirst = next === null;
          const length = byteLength(piece.text);
          next = piece.offset + length;
          size = length === 0 ? next : piece.size;
          setKept((before) => ({
            lines: appendOutput(before.lines, piece.text),
            from: isFirst ? piece.offset : before.from,
            reading: false,
            error: null,
          }));
        } while (again || next < size);
      } catch (thrown) {
        if (!stop.signal.aborted) setKept((before) => ({ ...before, reading: false, error: readError(thrown) }));
      } finally {
        busy = false;
      }
    };

    void readOn();
    const unsubscribe = onOutput(runId, stepId, tryNumber, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void readOn();
      }, refreshMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [runId, stepId, tryNumber]);

  const showEarlier = useCallback(async () => {
    const { from } = latest.current;
    if (from === 0) return;
    const start = Math.max(0, from - pieceBytes);
    try {
      const piece = await api.runs.log({ run_id: runId, step_id: stepId, try: tryNumber, offset: start });
      const text = firstBytesOf(piece.text, from - piece.offset);
      setKept((before) =>
        before.from === from ? { ...before, lines: prependOutput(text, before.lines), from: piece.offset } : before,
      );
    } catch (thrown) {
      setKept((before) => ({ ...before, error: readError(thrown) }));
    }
  }, [runId, stepId, tryNumber]);

  const lines = useMemo(() => shownLines(kept.lines), [kept.lines]);
  return {
    lines,
    earlierBytes: kept.from,
    showEarlier: () => void showEarlier(),
    reading: kept.reading,
    error: kept.error,
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function firstBytesOf(text: string, count: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= count ? text : new TextDecoder().decode(bytes.subarray(0, count));
}
