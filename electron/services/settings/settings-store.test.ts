import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { testFolder } from '../files/test-folder.ts';
import { silentLog } from '../log.ts';
import { createSettingsStore, type SettingsStore } from './settings-store.ts';

const folder = testFolder('settings');
const open: SettingsStore[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.dispose()));
});

function homeWith(config: string | Uint8Array | null): { home: string; file: string } {
  const home = mkdtempSync(join(folder, 'home-'));
  const file = join(home, 'config.json');
  if (config !== null) {
    writeFileSync(file, config);
    // Written long ago: nobody is in the middle of writing it.
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
  return { home, file };
}

function storeOn(home: string, defaultsFile?: string): SettingsStore {
  const store = createSettingsStore({
    home,
    log: silentLog,
    now: Date.now,
    ...(defaultsFile === undefined ? {} : { defaultsFile }),
  });
  open.push(store);
  return store;
}

describe('createSettingsStore', () => {
  it("starts with skill-sub's defaults and writes nothing by itself", () => {
    const { home } = homeWith(null);
    const store = storeOn(home);
    expect(store.values()).toMatchObject({
      use_memory_reference: false,
      naming_mode: 'manual',
      default_max_retries: 3,
    });
    expect(store.view()).toMatchObject({ changed: [], problems: [], set_aside: null });
    expect(readdirSync(home)).toEqual([]);
  });

  it("puts the shipped file over the table and the person's file over both", () => {
    const { home } = homeWith('{"naming_mode": "auto"}');
    const defaultsFile = join(folder, 'default_config.json');
    writeFileSync(defaultsFile, '{"naming_mode": "manual", "default_max_retries": 5}');
    const { naming_mode, default_max_retries, max_parallel } = storeOn(home, defaultsFile).values();
    expect({ naming_mode, default_max_retries, max_parallel }).toEqual({
      naming_mode: 'auto',
      default_max_retries: 5,
      max_parallel: 4,
    });
  });

  it.each([
    ['0 bytes', ''],
    ['half an object', '{"a":'],
    ['zero bytes in it', '\0\0\0\0'],
    ['a list', '[1, 2]'],
    ['text', 'hello'],
    ['thousands of levels', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('puts a broken file aside (%s), starts on defaults and says so', (_name, text) => {
    const { home, file } = homeWith(text);
    const view = storeOn(home).view();
    expect(view.set_aside).toMatch(/config\.json\.broken-\d{8}T\d{6}-\d{3}Z$/);
    expect(readFileSync(view.set_aside!, 'utf8')).toBe(text);
    expect(readdirSync(home)).not.toContain('config.json');
    expect(view.problems).toHaveLength(1);
    expect(view.values['max_parallel']).toBe(4);
    expect(file).toBe(view.file);
  });

  it('never writes over a broken file: the next save makes a new one beside it', async () => {
    const { home, file } = homeWith('{"a":');
    const store = storeOn(home);
    const view = await store.set({ theme: 'dark' });
    expect(readFileSync(view.set_aside!, 'utf8')).toBe('{"a":');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ theme: 'dark' });
  });

  it('uses the default for a value of a wrong type, names it, and leaves it in the file', async () => {
    const text = '{\n  "default_max_retries": "many",\n  "theme": "dark"\n}\n';
    const { home, file } = homeWith(text);
    const store = storeOn(home);
    expect(store.values()).toMatchObject({ default_max_retries: 3, theme: 'dark' });
    expect(store.view().problems.map(({ key }) => key)).toEqual(['default_max_retries']);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await store.set({ theme: 'light' });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('dark', 'light'));
  });

  it('changes only the lines of the named keys; unknown keys, order, line ends and the mark stay', async () => {
    const text = '\ufeff{\r\n    "other": {"x": [1,2]},\r\n    "max_parallel": 2,\r\n    "zz": null\r\n}';
    const { home, file } = homeWith(text);
    const store = storeOn(home);
    await store.set({ max_parallel: 7 });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('2,\r\n    "zz"', '7,\r\n    "zz"'));
    const view = await store.set({ max_parallel: null });
    expect(view.values['max_parallel']).toBe(4);
    expect(view.changed).toEqual([]);
    expect(JSON.parse(readFileSync(file, 'utf8').slice(1))).toEqual({ other: { x: [1, 2] }, zz: null });
  });

  it.each([
    [{ max_parallel: 0 }, 'max_parallel'],
    [{ theme: 'pink' }, 'theme'],
    [{ theme: 'dark', no_such_key: 1 }, 'no_such_key'],
    [{ agents: [{ name: 'x' }] }, 'agents'],
    [{ __proto__x: 1, constructor: 1 }, '__proto__x'],
  ])('refuses %j as a whole', async (patch, key) => {
    const { home } = homeWith(null);
    await expect(storeOn(home).set(patch)).rejects.toMatchObject({ code: 'SETTINGS_INVALID', params: { key } });
    expect(readdirSync(home)).toEqual([]);
  });

  it('sees at once what another process saved, and tells its listeners', async () => {
    const { home } = homeWith('{"theme": "dark"}');
    const [mine, other] = [storeOn(home), storeOn(home)];
    const told = new Promise<void>((resolve) => mine.onChange(resolve));
    await other.set({ theme: 'light' });
    expect(mine.values().theme).toBe('light');
    await told;
  });

  it('keeps every key when two stores save different ones at the same time', async () => {
    const { home, file } = homeWith('{}');
    const [one, two] = [storeOn(home), storeOn(home)];
    await Promise.all([one.set({ theme: 'dark' }), two.set({ max_parallel: 9 }), one.set({ autosave: true })]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ theme: 'dark', max_parallel: 9, autosave: true });
  });

  it('works on defaults and refuses to save when the file can not be read', async () => {
    const { home, file } = homeWith(null);
    mkdirSync(file);
    const store = storeOn(home);
    expect(store.view().problems.map(({ key }) => key)).toEqual(['config.json']);
    await expect(store.set({ theme: 'dark' })).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
  });
});
