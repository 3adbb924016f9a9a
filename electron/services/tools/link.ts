import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { SpawnError } from '../processes/start-process.ts';

/** A way to a server: what the protocol's library talks through, and how it is ended wholly. */
export interface Link {
  readonly transport: Transport;
  /** Why its program never started. */
  readonly spawnError: SpawnError | null;
  /** How its program ended; null while it runs, and for an address. */
  readonly end: { readonly code: number | null; readonly signal: string | null } | null;
  /** We end it, it did not end by itself. */
  readonly isStopping: boolean;
  /** Returns when nothing of it is left. */
  stop(): Promise<void>;
}

/** What a link tells. */
export interface LinkEvents {
  onStart(pid: number): void;
  /** A line on its standard error. */
  onLine(line: string): void;
  /** A line where only messages belong. */
  onNoise(line: string): void;
}
