import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { ChainStore } from '../chains/chain-store.ts';
import { errnoOf, readError, writeError } from '../files/file-error.ts';
import { readTextFile } from '../files/read-text-file.ts';

export interface InstalledSamples {
  /** Names of the chains that came, and of the skill folders; what was there already is in neither. */
  readonly chains: string[];
  readonly skills: string[];
}

/**
 * Copies the sample skills into the skills home and the sample chains into the data home. Never writes over anything:
 * a skill folder or a chain of the same name stays as it is. Errors: FILE_UNREADABLE, FILE_UNWRITABLE.
 */
export async function installSamples(options: {
  readonly samplesFolder: string;
  readonly skillsHome: string;
  readonly chains: ChainStore;
}): Promise<InstalledSamples> {
  return {
    skills: await installSkills(join(options.samplesFolder, 'skills'), options.skillsHome),
    chains: await installChains(join(options.samplesFolder, 'chains'), options.chains),
  };
}

async function installSkills(from: string, to: string): Promise<string[]> {
  const installed: string[] = [];
  for (const name of await namesIn(from)) {
    const target = join(to, name);
    if ((await stat(target).catch(() => null)) !== null) continue;
    // Copied beside its place first: whoever scans meanwhile sees a whole skill or none.
    const half = join(to, `.${name}.${process.pid}.part`);
    try {
      await mkdir(to, { recursive: true });
      await rm(half, { recursive: true, force: true });
      await cp(join(from, name), half, { recursive: true, errorOnExist: true });
      await rename(half, target);
      installed.push(name);
    } catch (thrown) {
      await rm(half, { recursive: true, force: true }).catch(() => undefined);
      if (errnoOf(thrown) !== 'ENOTEMPTY' && errnoOf(thrown) !== 'EEXIST') throw writeError(target, thrown);
    }
  }
  return installed;
}

async function installChains(from: string, chains: ChainStore): Promise<string[]> {
  const installed: string[] = [];
  for (const base of await namesIn(from)) {
    if (!base.endsWith('.json')) continue;
    const read = await readTextFile(join(from, base));
    if (read === null) continue;
    const { name } = parseChainFile(read.text, base).chain;
    try {
      await chains.create(name, read.text);
      installed.push(name);
    } catch (thrown) {
      const there = thrown instanceof AppError && ['CHAIN_EXISTS', 'CHAIN_NAME_CLASH'].includes(thrown.code);
      if (!there) throw thrown;
    }
  }
  return installed;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  } catch (thrown) {
    throw readError(folder, thrown);
  }
}
