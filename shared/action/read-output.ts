import type { ReportedError } from './manifest.ts';

export interface ProgramOutput {
  /** JSON of the whole output, of its last line, of an object at its end or of its last code fence; else null. */
  readonly result: unknown;
  /** The output as text, without spaces around it. */
  readonly text: string;
  readonly error: ReportedError | null;
}

/** Longest text that is searched for JSON at its end. */
const jsonLimit = 1_000_000;

/**
 * What a program said, by its two contracts: `ERROR:<CODE>: message` with `HINT: next step` on either stream, or
 * `{"ok": false, "error": {"code", "message"}}`. `ERROR:` lines count only when the exit code is not 0; a JSON result
 * that says `ok: false` always does.
 */
export function readProgramOutput(output: {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}): ProgramOutput {
  const text = output.stdout.trim();
  const result = readJson(text);
  const reported = errorOfJson(result);
  if (output.exitCode === 0) return { result, text, error: isFailure(result) ? reported : null };
  return {
    result,
    text,
    error:
      errorOfLines(output.stderr) ??
      errorOfLines(output.stdout) ??
      reported ??
      errorOfJson(readJson(output.stderr.trim())),
  };
}

/** `PROGRESS:<0..100>[: text]`, or a line of JSON with `progress`. Null when the line is neither. */
export function readProgress(line: string): { percent: number; text: string | null } | null {
  const match = /^\s*PROGRESS:\s*(\d{1,3}(?:\.\d+)?)\s*%?(?:\s*:\s?(.*?))?\s*$/.exec(line);
  if (match !== null) return progressOf(Number(match[1]), match[2] ?? null);
  if (!/^\s*\{.*"progress"/.test(line) || line.length > 10_000) return null;
  const value = parseJson(line.trim());
  if (!isRecord(value) || typeof value['progress'] !== 'number') return null;
  const text = value['text'] ?? value['message'];
  return progressOf(value['progress'], typeof text === 'string' ? text : null);
}

function progressOf(percent: number, text: string | null): { percent: number; text: string | null } | null {
  if (!Number.isFinite(percent)) return null;
  return { percent: Math.min(100, Math.max(0, percent)), text: text === '' ? null : text };
}

function readJson(text: string): unknown {
  if (text === '') return null;
  const whole = parseStructure(text);
  if (whole !== null) return whole;
  const tail = text.length > jsonLimit ? text.slice(-jsonLimit) : text;
  const lines = tail.split(/\r?\n/);
  const last = parseStructure(lines.at(-1)!.trim());
  if (last !== null) return last;
  return objectAtEnd(lines) ?? lastFence(tail);
}

/** An object over several lines that ends with the output; it starts at a line that begins with a bracket. */
function objectAtEnd(lines: readonly string[]): unknown {
  const end = lines.at(-1)!.trimEnd();
  if (!end.endsWith('}') && !end.endsWith(']')) return null;
  // A printed object closes at its own indent, so its first line is the nearest one that opens there.
  const indent = /^\s*/.exec(lines.at(-1)!)![0];
  for (let i = lines.length - 1; i >= 0 && lines.length - i < 20_000; i -= 1) {
    const line = lines[i]!;
    if (line.startsWith(`${indent}{`) || line.startsWith(`${indent}[`))
      return parseStructure(lines.slice(i).join('\n').trim());
  }
  return null;
}

function lastFence(text: string): unknown {
  const end = text.lastIndexOf('\n```');
  if (end < 0) return null;
  const start = text.lastIndexOf('```json', end - 1);
  return start < 0 ? null : parseStructure(text.slice(start + 7, end).trim());
}

function parseStructure(text: string): unknown {
  if (!/^[{[]/.test(text)) return null;
  const value = parseJson(text);
  return typeof value === 'object' ? value : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isFailure(result: unknown): boolean {
  return isRecord(result) && result['ok'] === false;
}

function errorOfJson(result: unknown): ReportedError | null {
  if (!isRecord(result) || result['ok'] === true) return null;
  const error = result['error'];
  if (!isRecord(error)) {
    return isFailure(result) && typeof error === 'string'
      ? { code: 'ERROR', message: error, hint: hintOf(result) }
      : null;
  }
  const code = typeof error['code'] === 'string' || typeof error['code'] === 'number' ? String(error['code']) : 'ERROR';
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  return { code, message, hint: hintOf(error) ?? hintOf(result) };
}

function hintOf(value: Record<string, unknown>): string | null {
  return typeof value['hint'] === 'string' ? value['hint'] : null;
}

/** The last `ERROR:` line and the `HINT:` after it. */
function errorOfLines(output: string): ReportedError | null {
  if (!output.includes('ERROR:')) return null;
  const lines = output.split(/\r?\n/);
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const match = /^\s*ERROR:\s*([A-Za-z][\w.-]*)\s*:\s*(.*)$/.exec(lines[i]!);
    if (match === null) continue;
    const hint = lines
      .slice(i + 1)
      .map((line) => /^\s*HINT:\s*(.*)$/.exec(line)?.[1])
      .find((text) => text !== undefined);
    return { code: match[1]!, message: match[2]!.trim(), hint: hint?.trim() ?? null };
  }
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
