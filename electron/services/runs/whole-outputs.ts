import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { StepOutput } from '../../../shared/run/event.ts';
import type { TemplateOutput } from '../../../shared/template/template.ts';
import { writeError } from '../files/file-error.ts';
import { wellFormed } from '../processes/well-formed.ts';

/** What a line of the journal holds of a text or a JSON value, in characters. */
const lineLimit = 64 * 1024;
const keptInMemory = 16;

const Whole = z.object({ text: z.string(), json: z.unknown().optional() });

/**
 * Outputs that are too large for a line of the journal: `outputs/<sha256>.json` beside it. Written before the line that
 * names them, whole or not at all.
 */
export class WholeOutputs {
  readonly #folder: string;
  readonly #known = new Map<string, TemplateOutput>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The output as the journal holds it; a large one is put into a file. Errors: FILE_UNWRITABLE. */
  keep(output: StepOutput): StepOutput {
    const { text } = output;
    // Most outputs are short: their length is looked at before they are made into text.
    const json = output.json === undefined || output.json === null ? '' : JSON.stringify(output.json);
    if (text.length <= lineLimit && json.length <= lineLimit) return output;
    const whole = JSON.stringify({ text, ...(output.json === undefined ? {} : { json: output.json }) });
    const sha256 = createHash('sha256').update(whole).digest('hex');
    this.#write(sha256, whole);
    this.#remember(sha256, { text, ...(output.json === undefined ? {} : { json: output.json }) });
    const half = lineLimit / 2;
    const cut = text.length <= lineLimit ? text : `${text.slice(0, half)}\n[...]\n${text.slice(-half)}`;
    return {
      text: wellFormed(cut),
      ...(json.length <= lineLimit && output.json !== undefined ? { json: output.json } : {}),
      truncated: output.truncated,
      whole: { sha256, bytes: Buffer.byteLength(whole) },
    };
  }

  /** The whole of an output; what the journal holds of it when the file is gone. */
  read(output: StepOutput): TemplateOutput {
    const { whole } = output;
    if (whole === undefined || !/^[0-9a-f]{64}$/.test(whole.sha256)) return output;
    const known = this.#known.get(whole.sha256);
    if (known !== undefined) return known;
    try {
      const read = Whole.parse(JSON.parse(readFileSync(this.#file(whole.sha256), 'utf8')));
      this.#remember(whole.sha256, read);
      return read;
    } catch {
      return output;
    }
  }

  #write(sha256: string, text: string): void {
    const file = this.#file(sha256);
    if (existsSync(file)) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
    } catch (thrown) {
      throw writeError(file, thrown);
    }
  }

  #remember(sha256: string, output: TemplateOutput): void {
    this.#known.set(sha256, output);
    const oldest = this.#known.keys().next();
    if (this.#known.size > keptInMemory && !oldest.done) this.#known.delete(oldest.value);
  }

  #file(sha256: string): string {
    return join(this.#folder, `${sha256}.json`);
  }
}
