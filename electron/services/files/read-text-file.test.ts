import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextFile, revisionOf } from './read-text-file.ts';
import { testFolder } from './test-folder.ts';

const folder = testFolder('read');

describe('readTextFile', () => {
  it('gives a text that, written back, has the same bytes: byte order mark, line ends, everything', async () => {
    const file = join(folder, 'mark.json');
    const bytes = Buffer.from('\ufeff{\r\n "a": "链\u0000"}', 'utf8');
    writeFileSync(file, bytes);
    const read = await readTextFile(file);
    expect(Buffer.from(read!.text, 'utf8').equals(bytes)).toBe(true);
    expect(read).toMatchObject({ revision: revisionOf(bytes), bytes: bytes.length });
  });

  it('knows no file from one that can not be read', async () => {
    expect(await readTextFile(join(folder, 'absent.json'))).toBeNull();
    mkdirSync(join(folder, 'a-folder.json'));
    await expect(readTextFile(join(folder, 'a-folder.json'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  it('refuses bytes that are not UTF-8 instead of replacing them, and a file that is too large', async () => {
    const file = join(folder, 'gbk.json');
    writeFileSync(file, Buffer.from([0x22, 0xb3, 0xc9, 0x22]));
    await expect(readTextFile(file)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      params: { detail: 'not UTF-8' },
    });
    await expect(readTextFile(file, 3)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
