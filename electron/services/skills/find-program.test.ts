import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgramFinder } from './find-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'programs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, mode = 0o755): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, mode);
  return file;
}

describe('createProgramFinder', () => {
  it('finds the first executable file of a name on PATH', () => {
    const second = program('b/tool');
    program('a/other');
    const find = createProgramFinder({ PATH: ['relative', join(folder, 'a'), join(folder, 'b')].join(delimiter) });
    expect(find('tool')).toBe(second);
    expect(find('nope')).toBeNull();
  });

  it.skipIf(process.platform === 'win32')('passes over what is not executable, and over folders', () => {
    program('a/tool', 0o644);
    mkdirSync(join(folder, 'b', 'tool'), { recursive: true });
    expect(createProgramFinder({ PATH: `${folder}/a:${folder}/b` })('tool')).toBeNull();
  });

  it('takes bare names only', () => {
    program('a/tool');
    const find = createProgramFinder({ PATH: join(folder, 'a') });
    for (const name of ['../a/tool', join(folder, 'a', 'tool'), 'a\\tool', 'tool\0']) expect(find(name)).toBeNull();
  });

  it('tries every suffix of PATHEXT on Windows, unless the name has one', () => {
    const file = program('tool.cmd');
    const find = createProgramFinder({ Path: `"${folder}"`, PATHEXT: '.EXE;.cmd' }, 'win32');
    expect(find('tool')).toBe(file);
    expect(find('tool.cmd')).toBe(file);
    expect(find('tool.exe')).toBeNull();
  });
});
