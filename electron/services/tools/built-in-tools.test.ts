import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../files/test-folder.ts';
import { toolHomes } from './tool-test-home.ts';

const home = toolHomes(testFolder('built-in'));

describe('the built-in tools', () => {
  it('are there without a server', async () => {
    const { call, tools } = home({});
    const names = ['emit_text', 'list_tools', 'memory_save', 'memory_search'];
    expect((await tools.list()).map(({ name }) => name)).toEqual(names);
    expect(await call('emit_text', { text: 'as it is' })).toEqual({
      by: 'emit_text',
      text: 'as it is',
      isError: false,
    });
    const listed = await call('list_tools');
    expect(listed.text.split('\n').map((line) => line.split(':')[0])).toEqual(names);
    expect(listed.json).toEqual({ tools: await tools.list() });
  });

  it.each([
    ['emit_text', {}, 'text'],
    ['emit_text', { text: 1 }, 'text'],
    ['emit_text', { text: 'x', txt: 'y' }, 'txt'],
    ['memory_save', { text: '  ' }, 'text'],
    ['memory_search', { query: 'x', limit: 0 }, 'limit'],
    ['list_tools', { all: true }, 'all'],
  ])('%s refuses %j and names the argument', async (name, args, field) => {
    await expect(home({}).call(name, args)).rejects.toMatchObject({
      code: 'INVALID_TOOL_ARGS',
      params: { tool: name, field },
    });
  });

  it('save and find memory in the folder of the settings, or in the one of the data', async () => {
    const { call, set, folder } = home({}, { now: () => new Date(2026, 0, 31, 14, 5).getTime() });
    expect(await call('memory_save', { text: 'Prefers tables.', title: 'Style' })).toMatchObject({
      text: '2026-01-31.md',
      json: { file: '2026-01-31.md' },
    });
    expect(readdirSync(join(folder, 'memory'))).toEqual(['2026-01-31.md']);
    expect(await call('memory_search', { query: 'tables' })).toMatchObject({
      text: '2026-01-31.md:5: Prefers tables.',
      json: { lines: [{ file: '2026-01-31.md', line: 5, text: 'Prefers tables.' }] },
    });
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'MEMORY.md'), 'tables of my own');
    for (const memory_folder of ['mine', '~/mine', join(folder, 'mine')]) {
      set({ memory_folder });
      expect((await call('memory_search', { query: 'tables' })).text).toBe('MEMORY.md:1: tables of my own');
    }
  });
});
