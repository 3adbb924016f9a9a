import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser, testFolder } from '../files/test-folder.ts';
import { saveMemory, searchMemory } from './memory.ts';

const folder = testFolder('memory');
/** 14:05 local time on 31 January 2026. */
const at = new Date(2026, 0, 31, 14, 5, 9).getTime();

function memoryWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const home = mkdtempSync(join(folder, 'home-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content);
  return home;
}

describe('saveMemory', () => {
  it("makes the folder and the day's log, and adds to it", async () => {
    const home = join(memoryWith({}), 'new', 'memory');
    expect(await saveMemory(home, { text: 'Likes short answers.\r\nAnd tea.' }, at)).toEqual({ file: '2026-01-31.md' });
    await saveMemory(home, { text: ' 二 ', title: 'Second\n# entry' }, at + 60_000);
    expect(readFileSync(join(home, '2026-01-31.md'), 'utf8')).toBe(
      '# 2026-01-31\n\n## 14:05\n\nLikes short answers.\nAnd tea.\n\n## 14:06 Second # entry\n\n二\n',
    );
    expect(readdirSync(home)).toEqual(['2026-01-31.md']);
  });

  it('leaves what others wrote as it is, also without an end of line', async () => {
    const home = memoryWith({ '2026-01-31.md': 'written by hand' });
    await saveMemory(home, { text: 'x' }, at);
    expect(readFileSync(join(home, '2026-01-31.md'), 'utf8')).toBe('written by hand\n\n## 14:05\n\nx\n');
  });

  it('loses none of many entries at the same time', async () => {
    const home = memoryWith({});
    await Promise.all(Array.from({ length: 20 }, (_, index) => saveMemory(home, { text: `entry ${index}.` }, at)));
    const text = readFileSync(join(home, '2026-01-31.md'), 'utf8');
    for (let index = 0; index < 20; index += 1) expect(text).toContain(`\n\nentry ${index}.\n`);
    expect(text.match(/^## /gm)).toHaveLength(20);
  });

  it('says which file can not be written', async () => {
    const home = memoryWith({});
    mkdirSync(join(home, '2026-01-31.md'));
    await expect(saveMemory(home, { text: 'x' }, at)).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      place: { file: join(home, '2026-01-31.md') },
    });
  });
});

describe('searchMemory', () => {
  it('gives MEMORY.md first and then the newest log, lines with more of the words before', async () => {
    const home = memoryWith({
      'MEMORY.md': '# About me\r\nI drink tea.\r\n',
      '2026-01-02.md': 'tea again\nGreen TEA please\n',
      '2026-01-30-week.md': 'no coffee, tea\n',
      'other.md': 'tea',
      'notes.txt': 'tea',
    });
    const found = await searchMemory(home, 'tea', 10);
    expect(found.lines.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([
      'MEMORY.md:2: I drink tea.',
      '2026-01-30-week.md:1: no coffee, tea',
      '2026-01-02.md:1: tea again',
      '2026-01-02.md:2: Green TEA please',
    ]);
    expect(found).toMatchObject({ searched: ['MEMORY.md', '2026-01-30-week.md', '2026-01-02.md'], skipped: [] });
    expect((await searchMemory(home, 'green tea', 1)).lines).toEqual([
      { file: '2026-01-02.md', line: 2, text: 'Green TEA please' },
    ]);
    expect((await searchMemory(home, 'milk', 10)).lines).toEqual([]);
  });

  it('finds Chinese words and other forms of the same letters', async () => {
    const home = memoryWith({ 'MEMORY.md': '用户喜欢简短的回答\nＣＡＦÉ' });
    expect((await searchMemory(home, '简短', 5)).lines).toMatchObject([{ line: 1 }]);
    expect((await searchMemory(home, 'cafe\u0301', 5)).lines).toMatchObject([{ line: 2 }]);
  });

  it('looks into the newest logs only', async () => {
    const days = Array.from({ length: 120 }, (_, index) => new Date(Date.UTC(2025, 0, 1 + index)).toISOString());
    const home = memoryWith(Object.fromEntries(days.map((day) => [`${day.slice(0, 10)}.md`, 'tea'])));
    const { searched } = await searchMemory(home, 'tea', 10);
    expect(searched).toHaveLength(90);
    expect(searched[0]).toBe('2025-04-30.md');
  });

  it('names files that are no text and goes on; a missing folder is empty', async () => {
    const home = memoryWith({ 'MEMORY.md': 'tea', '2026-01-01.md': Uint8Array.of(0xff, 0xfe, 0x00) });
    symlinkSync(join(home, 'gone'), join(home, '2026-01-02.md'));
    expect(await searchMemory(home, 'tea', 10)).toEqual({
      lines: [{ file: 'MEMORY.md', line: 1, text: 'tea' }],
      searched: ['MEMORY.md'],
      skipped: ['2026-01-01.md'],
    });
    expect((await searchMemory(join(home, 'nowhere'), 'tea', 10)).lines).toEqual([]);
  });

  it('says so when the folder can not be read', async () => {
    const home = memoryWith({ file: '' });
    await asOrdinaryUser(() =>
      expect(searchMemory(join(home, 'file'), 'tea', 10)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' }),
    );
  });
});
