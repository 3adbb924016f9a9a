import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Where services say what they did. Values must not hold secrets: what is logged may be sent in with a report. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

const levels: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 };
const rotateBytes = 5 * 1024 * 1024;

/**
 * A log of JSON lines in a file, one earlier file kept. A line is written at once, so that the last one before a crash
 * is there. A log that can not be written is given up without a word: it must never stop the program.
 */
export function createFileLog(file: string, lowest: LogLevel = 'info'): Log {
  let usable = true;
  let bytes = -1;
  return createLog((level, message, fields) => {
    if (!usable || levels[level] < levels[lowest]) return;
    try {
      if (bytes < 0) {
        mkdirSync(dirname(file), { recursive: true });
        bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      }
      if (bytes > rotateBytes) {
        renameSync(file, `${file}.1`);
        bytes = 0;
      }
      const line = `${JSON.stringify({ at: new Date().toISOString(), level, pid: process.pid, message, ...readable(fields) })}\n`;
      appendFileSync(file, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
    } catch {
      usable = false;
    }
  });
}

/** A log that hands every line to a function. */
export function createLog(write: (level: LogLevel, message: string, fields?: Record<string, unknown>) => void): Log {
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

/** A log that keeps nothing. */
export const silentLog: Log = createLog(() => undefined);

function readable(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}
