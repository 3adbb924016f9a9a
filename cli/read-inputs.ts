import { z } from 'zod';
import type { StartInputs } from '../electron/services/runs/start-inputs.ts';
import { type Output, usageError } from './output.ts';

/** Options of every command that starts or simulates a run. */
export interface InputOptions {
  readonly input?: string;
  /** A JSON object. */
  readonly inputs?: string;
}

/** What a run is started with, from the command line. Errors: USAGE. */
export function readInputs(options: InputOptions, output: Output): StartInputs {
  return {
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.inputs === undefined ? {} : { inputs: readObject(options.inputs, output) }),
  };
}

function readObject(text: string, output: Output): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw usageError(output.text('inputs_invalid'));
  }
}
