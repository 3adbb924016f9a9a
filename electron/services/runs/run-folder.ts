import { join } from 'node:path';
import { AppError } from '../../../shared/errors/app-error.ts';

/** Where the parts of one run are. Names of steps carry a prefix, so that none of them is a device name on Windows. */
export interface RunFolder {
  readonly folder: string;
  readonly journal: string;
  readonly owner: string;
  readonly summary: string;
  readonly inbox: string;
  readonly logs: string;
  /** Outputs that are too large for the journal. */
  readonly outputs: string;
  /** Where the steps of the run can hand files to each other. */
  readonly work: string;
  logFile(stepId: string, tryNumber: number): string;
  /** A folder that is kept across the tries of a step. */
  stepFolder(stepId: string): string;
}

/** Errors: RUN_NOT_FOUND for a text that can not be the id of a run; a path outside `runs/` can not be made. */
export function runFolder(runsFolder: string, runId: string): RunFolder {
  if (!isRunId(runId)) throw new AppError('RUN_NOT_FOUND', { id: runId });
  const folder = join(runsFolder, runId);
  const logs = join(folder, 'logs');
  return {
    folder,
    journal: join(folder, 'journal.jsonl'),
    owner: join(folder, 'owner.json'),
    summary: join(folder, 'summary.json'),
    inbox: join(folder, 'inbox'),
    logs,
    outputs: join(folder, 'outputs'),
    work: join(folder, 'work'),
    logFile: (stepId, tryNumber) => join(logs, `step-${checkedStepId(stepId)}.${tryNumber}.log`),
    stepFolder: (stepId) => join(folder, 'steps', `step-${checkedStepId(stepId)}`),
  };
}

export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text);
}

/** A run id that sorts by time: `20260105-090000-` and what tells apart the runs of one second. */
export function makeRunId(atMs: number, unique: string): string {
  const stamp = new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${stamp}-${unique.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 12)}`;
}

function checkedStepId(stepId: string): string {
  if (!/^[a-z][a-z0-9_-]{0,75}$/.test(stepId)) throw new AppError('STEP_NOT_FOUND', { step: stepId });
  return stepId;
}
