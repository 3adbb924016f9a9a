import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rename,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser, testFolder, testProgram } from './test-folder.ts';
import { isTemporaryName, removeLeftovers, type WriteSteps, writeFileAtomic } from './write-file-atomic.ts';

const folder = testFolder('write');
const realRename = promisify(rename);
const realWrite: WriteSteps['write'] = (handle, content) => handle.writeFile(content);

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function temporariesIn(place: string): string[] {
  return readdirSync(place).filter(isTemporaryName);
}

describe('writeFileAtomic', () => {
  it('makes the folder and the file, and replaces a file that is there', async () => {
    const file = join(folder, 'new', 'deep', 'a.json');
    await writeFileAtomic(file, 'one');
    await writeFileAtomic(file, 'two 二');
    expect(readFileSync(file, 'utf8')).toBe('two 二');
    expect(temporariesIn(join(folder, 'new', 'deep'))).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('keeps the mode of the file and follows a link to it', async () => {
    const real = join(folder, 'real.json');
    const link = join(folder, 'link.json');
    writeFileSync(real, 'old');
    chmodSync(real, 0o600);
    symlinkSync(real, link);
    await writeFileAtomic(link, 'new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe('new');
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });

  it('leaves the old file whole and nothing beside it when the disk is full in the middle of the write', async () => {
    const file = join(folder, 'full.json');
    writeFileSync(file, 'old and whole');
    const steps: WriteSteps = {
      rename: realRename,
      write: async (handle, content) => {
        await handle.write(String(content).slice(0, 3));
        throw systemError('ENOSPC');
      },
    };
    await expect(writeFileAtomic(file, 'new text', { steps })).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      params: { file, detail: 'ENOSPC' },
    });
    expect(readFileSync(file, 'utf8')).toBe('old and whole');
    expect(temporariesIn(folder)).toEqual([]);
  });

  it.each(['EPERM', 'EBUSY', 'EACCES'])('tries again when a scanner holds the file (%s twice)', async (code) => {
    const file = join(folder, `held-${code}.json`);
    let refused = 0;
    const steps: WriteSteps = {
      write: realWrite,
      rename: async (from, to) => {
        if (refused < 2) {
          refused += 1;
          throw systemError(code);
        }
        await realRename(from, to);
      },
    };
    await writeFileAtomic(file, 'in', { steps });
    expect(refused).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('in');
  });

  it('gives up on a file that stays held, with the old file whole', async () => {
    const file = join(folder, 'held.json');
    writeFileSync(file, 'old');
    const steps: WriteSteps = { write: realWrite, rename: () => Promise.reject(systemError('EBUSY')) };
    await expect(writeFileAtomic(file, 'new', { steps })).rejects.toMatchObject({ code: 'FILE_LOCKED' });
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(temporariesIn(folder)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    'refuses a folder that may not be written, with the old file whole',
    async () => {
      const place = join(folder, 'read-only');
      mkdirSync(place);
      writeFileSync(join(place, 'a.json'), 'old');
      chmodSync(place, 0o555);
      chmodSync(folder, 0o755);
      await asOrdinaryUser(() =>
        expect(writeFileAtomic(join(place, 'a.json'), 'new')).rejects.toMatchObject({
          code: 'FILE_UNWRITABLE',
          params: { detail: 'EACCES' },
        }),
      );
      chmodSync(place, 0o755);
      expect(readFileSync(join(place, 'a.json'), 'utf8')).toBe('old');
    },
  );

  it('leaves a whole file, old or new, when the process is killed at any moment', async () => {
    const program = await testProgram(
      folder,
      'saver',
      `import { writeFileAtomic } from './electron/services/files/write-file-atomic.ts';
       const file = process.argv[2];
       for (let turn = 0; ; turn += 1) {
         await writeFileAtomic(file, String(turn % 10).repeat(400_000));
         process.stdout.write('.');
       }`,
    );
    const file = join(folder, 'killed.json');
    for (let round = 0; round < 12; round += 1) {
      const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      // Killed after so many saves: the moment within the next save is the scheduler's.
      let saves = 0;
      child.stdout.on('data', (dots: Buffer) => {
        saves += dots.length;
        if (saves > round) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      const text = readFileSync(file, 'utf8');
      expect(text.length).toBe(400_000);
      expect(new Set(text).size).toBe(1);
    }
    await removeLeftovers(folder, () => false);
    expect(temporariesIn(folder)).toEqual([]);
  });
});

describe('removeLeftovers', () => {
  it('removes what dead writers left and keeps what a living one is writing', async () => {
    const place = join(folder, 'leftovers');
    mkdirSync(place);
    const { pid: dead } = spawnSync(process.execPath, ['-e', '0']);
    const ofDead = `.a.json.${dead}-0123456789ab.tmp`;
    const ofLiving = `.a.json.${process.pid}-0123456789ab.tmp`;
    for (const name of [ofDead, ofLiving, 'a.json']) writeFileSync(join(place, name), '');
    expect(await removeLeftovers(place, (pid) => pid === process.pid)).toBe(1);
    expect(existsSync(join(place, ofDead))).toBe(false);
    expect(readdirSync(place).sort()).toEqual([ofLiving, 'a.json'].sort());
  });
});
