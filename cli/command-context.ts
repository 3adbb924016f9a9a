import type { Output } from './output.ts';

/** What every command gets. */
export interface CommandContext {
  readonly appFolder: string;
  readonly version: string;
  readonly output: Output;
}
