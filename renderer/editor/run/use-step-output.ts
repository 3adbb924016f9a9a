import { useEffect, useState } from 'react';
import type { AppError } from '../../../shared/errors/app-error.ts';
import { api, readError } from '../../api/client.ts';
import { onOutput } from '../../stores/run-store.ts';
import { appendLines } from './append-lines.ts';

export interface StepOutputView {
  readonly lines: readonly string[];
  /** The beginning is only in the file. */
  readonly truncated: boolean;
  readonly error: AppError | null;
}

/** The newest part of a file that is kept in the window. */
const keptBytes = 4 * 1024 * 1024;
const refreshMs = 100;

const empty: StepOutputView = { lines: [], truncated: false, error: null };

/**
 * The output of a try, read from its file: the newest 4 MB, then what is added, at most ten times a second. The events
 * of the run only say that there is more; the file is the truth.
 */
export function useStepOutput(runId: string, stepId: string, tryNumber: number): StepOutputView {
  const [view, setView] = useState<StepOutputView>(empty);
  useEffect(() => {
    setView(empty);
    if (tryNumber < 1) return;
    const stop = new AbortController();
    let offset: number | null = null;
    let lines: readonly string[] = [];
    let truncated = false;
    let reading = false;
    let again = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const read = async () => {
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      try {
        do {
          again = false;
          const piece = await api.runs.log(
            { run_id: runId, step_id: stepId, try: tryNumber, offset: offset ?? -keptBytes },
            { signal: stop.signal },
          );
          if (stop.signal.aborted) return;
          if (offset === null) truncated = piece.offset > 0;
          const read = new TextEncoder().encode(piece.text).length;
          offset = piece.offset + read;
          if (piece.text !== '') {
            lines = appendLines(lines, piece.text);
            setView({ lines, truncated, error: null });
          }
          if (offset < piece.size && read > 0) again = true;
        } while (again);
      } catch (thrown) {
        const error = readError(thrown);
        if (!stop.signal.aborted && error.code !== 'CANCELLED') setView({ lines, truncated, error });
      } finally {
        reading = false;
      }
    };
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, refreshMs);
    };
    void read();
    const unsubscribe = onOutput(runId, stepId, tryNumber, soon);
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [runId, stepId, tryNumber]);
  return view;
}
