import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLockName, withFileLock } from './file-lock.ts';
import { testFolder, testProgram } from './test-folder.ts';

const folder = testFolder('lock');

describe('withFileLock', () => {
  it('lets the calls of one process work one after the other, in order, also after one that failed', async () => {
    const file = join(folder, 'order.json');
    const seen: string[] = [];
    const work = (name: string, fails = false) =>
      withFileLock(file, async () => {
        seen.push(`${name} in`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} out`);
        if (fails) throw new Error('as planned');
      });
    await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    expect(readdirSync(folder).filter(isLockName)).toEqual([]);
  });

  it('loses no update of two processes that write the same file', async () => {
    const file = join(folder, 'count.json');
    writeFileSync(file, '0');
    const program = await testProgram(
      folder,
      'counter',
      `import { readFileSync } from 'node:fs';
       import { withFileLock } from './electron/services/files/file-lock.ts';
       import { writeFileAtomic } from './electron/services/files/write-file-atomic.ts';
       for (let turn = 0; turn < 60; turn += 1) {
         await withFileLock(process.argv[2], async () => {
           await writeFileAtomic(process.argv[2], String(Number(readFileSync(process.argv[2], 'utf8')) + 1));
         });
       }`,
    );
    const children = [0, 1].map(() => spawn(process.execPath, [program, file], { stdio: 'inherit' }));
    const codes = await Promise.all(children.map((child) => once(child, 'exit').then(([code]) => code)));
    expect(codes).toEqual([0, 0]);
    expect(readFileSync(file, 'utf8')).toBe('120');
  });

  it('takes over the lock of a process that was killed while it held it', async () => {
    const file = join(folder, 'left.json');
    const program = await testProgram(
      folder,
      'holder',
      `import { withFileLock } from './electron/services/files/file-lock.ts';
       await withFileLock(process.argv[2], async () => { process.stdout.write('held'); await new Promise((done) => setTimeout(done, 60_000)); });`,
    );
    const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(folder, '.left.json.lock'))).toBe(true);
    expect(await withFileLock(file, async () => 'mine')).toBe('mine');
  });

  it('says that a file can not be written when its lock can not be made', async () => {
    writeFileSync(join(folder, 'no-folder'), '');
    await expect(withFileLock(join(folder, 'no-folder', 'a.json'), async () => 1)).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
    });
  });
});
