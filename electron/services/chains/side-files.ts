import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ChainLayout } from '../../../shared/chain/chain.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { errnoOf, writeError } from '../files/file-error.ts';
import { readTextFile } from '../files/read-text-file.ts';
import { renameWithPatience, writeFileAtomic } from '../files/write-file-atomic.ts';

const Draft = z.object({ text: z.string(), based_on: z.string(), saved_at: z.string() });
type Draft = z.infer<typeof Draft>;
const trashName = /^(\d{8}T\d{9}Z-[0-9a-f]{6})~([^/\\]+\.json)$/;

/**
 * What belongs to a chain file but is not in it: canvas layout, unsaved text, and the place where deleted chains wait.
 * `base` is the chain file's name inside `chains/`. A layout or draft that can not be read counts as none: neither may
 * keep a chain from opening.
 */
export function createSideFiles(folder: string, now: () => number) {
  const layoutOf = (base: string) => join(folder, '.layout', base);
  const draftOf = (base: string) => join(folder, '.drafts', base);
  const trashOf = (name: string) => join(folder, '.trash', name);

  /** Where a trashed chain is and what its file was called. Errors: CHAIN_NOT_FOUND for a name that is none of ours. */
  function trashed(name: string): { file: string; base: string } {
    const base = trashName.exec(name)?.[2];
    if (base === undefined) throw new AppError('CHAIN_NOT_FOUND', { name });
    return { file: trashOf(name), base };
  }

  return {
    trashed,
    async readLayout(base: string): Promise<ChainLayout> {
      return (await readJson(layoutOf(base), ChainLayout)) ?? { positions: {} };
    },
    async writeLayout(base: string, layout: ChainLayout): Promise<void> {
      await writeFileAtomic(layoutOf(base), `${JSON.stringify(layout, null, 1)}\n`);
    },
    async copyLayout(from: string, to: string): Promise<void> {
      await mkdir(join(folder, '.layout'), { recursive: true });
      await ignoringAbsent(layoutOf(to), copyFile(layoutOf(from), layoutOf(to)));
    },
    readDraft(base: string): Promise<Draft | null> {
      return readJson(draftOf(base), Draft);
    },
    async writeDraft(base: string, text: string, basedOn: string): Promise<void> {
      const draft: Draft = { text, based_on: basedOn, saved_at: new Date(now()).toISOString() };
      await writeFileAtomic(draftOf(base), JSON.stringify(draft));
    },
    async removeDraft(base: string): Promise<void> {
      await ignoringAbsent(draftOf(base), unlink(draftOf(base)));
    },
    /** Takes layout and draft along when a chain's file gets another name. */
    async move(from: string, to: string): Promise<void> {
      await ignoringAbsent(layoutOf(to), renameWithPatience(layoutOf(from), layoutOf(to)));
      await ignoringAbsent(draftOf(to), renameWithPatience(draftOf(from), draftOf(to)));
    },
    /** Moves a chain's file away; returns the name to put it back by. */
    async trash(base: string): Promise<string> {
      const stamp = new Date(now()).toISOString().replace(/[-:.]/g, '');
      const name = `${stamp}-${randomBytes(3).toString('hex')}~${base}`;
      await mkdir(join(folder, '.trash'), { recursive: true }).catch((thrown: unknown) => {
        throw writeError(join(folder, '.trash'), thrown);
      });
      await renameWithPatience(join(folder, base), trashOf(name)).catch((thrown: unknown) => {
        throw writeError(join(folder, base), thrown);
      });
      await ignoringAbsent(trashOf(name), renameWithPatience(layoutOf(base), trashOf(`${name}.layout`)));
      await ignoringAbsent(draftOf(base), unlink(draftOf(base)));
      return name;
    },
    async putBack(name: string): Promise<void> {
      const { file, base } = trashed(name);
      await renameWithPatience(file, join(folder, base)).catch((thrown: unknown) => {
        throw writeError(join(folder, base), thrown);
      });
      await ignoringAbsent(layoutOf(base), renameWithPatience(`${file}.layout`, layoutOf(base)));
    },
  };
}

async function readJson<S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S> | null> {
  try {
    const read = await readTextFile(file);
    return read === null ? null : schema.parse(JSON.parse(read.text));
  } catch {
    return null;
  }
}

async function ignoringAbsent(file: string, work: Promise<unknown>): Promise<void> {
  await work.catch((thrown: unknown) => {
    if (errnoOf(thrown) !== 'ENOENT') throw writeError(file, thrown);
  });
}
