import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { chainFileName } from '../../../shared/chain/file-name.ts';
import { revisionOf } from '../files/read-text-file.ts';
import { asOrdinaryUser, testFolder, testProgram } from '../files/test-folder.ts';
import { silentLog } from '../log.ts';
import { type ChainStore, createChainStore } from './chain-store.ts';
import { readListCache } from './list-cache.ts';

const folder = testFolder('chains');
const open: ChainStore[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.dispose()));
});

interface Fixture {
  readonly home: string;
  readonly chains: string;
  readonly store: ChainStore;
}

function fixture(files: Record<string, string | Uint8Array> = {}): Fixture {
  const home = mkdtempSync(join(folder, 'home-'));
  const chains = join(home, 'chains');
  mkdirSync(chains);
  for (const [base, content] of Object.entries(files)) writeFileSync(join(chains, base), content);
  return { home, chains, store: storeOn(home) };
}

function storeOn(home: string): ChainStore {
  const store = createChainStore({ home, now: () => Date.UTC(2026, 0, 5, 9), log: silentLog });
  open.push(store);
  return store;
}

function chainText(name: string, more: Record<string, unknown> = {}, steps: unknown[] = []): string {
  return `${JSON.stringify({ name, updated_at: '2026-01-01T00:00:00', ...more, steps }, null, 2)}\n`;
}

const step = (index: number, more: Record<string, unknown> = {}) => ({
  index,
  skill_name: 'demo',
  step_name: `step ${index}`,
  action: 'do it',
  ...more,
});

function indexOf(chains: string): unknown {
  return JSON.parse(readFileSync(join(chains, 'index.json'), 'utf8'));
}

describe('names and files', () => {
  it('saves a hostile name under a safe file inside the folder and shows it as it was given', async () => {
    const { home, chains, store } = fixture();
    const names = [
      '../../x',
      '..\\x',
      'a/b',
      'CON',
      'x.',
      'a>b',
      'Z: x',
      '动量策略',
      '均值回归',
      'index',
      '.hidden',
      `n${'长'.repeat(300)}`,
    ];
    for (const name of names) expect(await store.create(name)).toMatchObject({ name });
    expect(new Set((await store.list()).map(({ name }) => name))).toEqual(new Set(names));
    for (const name of names)
      expect(await store.get(name)).toMatchObject({ name, file: join(chains, chainFileName(name)) });
    expect(readdirSync(home)).toEqual(['chains']);
    expect(readdirSync(folder).every((entry) => entry.startsWith('home-'))).toBe(true);
    for (const entry of readdirSync(chains)) expect(Buffer.byteLength(entry)).toBeLessThanOrEqual(126);
  });

  it.each(['', ' ', '..', 'a\0b', 'a\nb'])('refuses the name %j', async (name) => {
    const { chains, store } = fixture();
    await expect(store.create(name)).rejects.toMatchObject({ code: 'CHAIN_NAME_INVALID' });
    expect(readdirSync(chains).filter((base) => base.endsWith('.json') && !base.startsWith('.'))).toEqual([]);
  });

  it('refuses a second chain of the same name, or one that differs in case or Unicode form only', async () => {
    const { store } = fixture();
    await store.create('Café');
    await expect(store.create('Café')).rejects.toMatchObject({ code: 'CHAIN_EXISTS' });
    await expect(store.create('CAFÉ')).rejects.toMatchObject({ code: 'CHAIN_NAME_CLASH', params: { other: 'Café' } });
    await expect(store.create('Cafe\u0301')).rejects.toMatchObject({ code: 'CHAIN_NAME_CLASH' });
    await store.create('other');
    await expect(store.rename('other', 'café')).rejects.toMatchObject({ code: 'CHAIN_NAME_CLASH' });
    expect(await store.names()).toHaveLength(2);
  });

  it('keeps a flat index for other programs, rebuilt when it is missing, stale or broken', async () => {
    const { chains, store } = fixture({ 'hand-made.json': chainText('发布'), 'a.json': chainText('a') });
    const right = { a: join(chains, 'a.json'), 发布: join(chains, 'hand-made.json') };
    await store.list();
    expect(indexOf(chains)).toEqual(right);
    for (const text of ['', '{"a":', '[]', JSON.stringify({ gone: '/nowhere.json' })]) {
      writeFileSync(join(chains, 'index.json'), text);
      expect(await store.get('发布')).toMatchObject({ file: right.发布 });
      await store.list();
      expect(indexOf(chains)).toEqual(right);
    }
    rmSync(join(chains, 'index.json'));
    await store.list();
    expect(indexOf(chains)).toEqual(right);
  });

  it('lists every file: a broken one with its reason, two of one name under two names', async () => {
    const { store } = fixture({
      'good.json': chainText('good', { tags: ['t'] }, [step(1), step(2)]),
      'zero.json': '',
      'half.json': '{"name": "half", "steps": [',
      'bytes.json': new Uint8Array([0x7b, 0xff, 0xfe]),
      'copy of good.json': chainText('good'),
      'not-a-chain.txt': 'x',
    });
    const rows = new Map((await store.list()).map((row) => [row.name, row]));
    expect([...rows.keys()].sort()).toEqual(['bytes', 'copy of good', 'good', 'half', 'zero']);
    expect(rows.get('good')).toMatchObject({ broken: null, steps: 2, tags: ['t'] });
    expect(rows.get('zero')?.broken?.code).toBe('CHAIN_FILE_BROKEN');
    expect(rows.get('half')?.broken).toMatchObject({ code: 'CHAIN_FILE_BROKEN', line: 1 });
    expect(rows.get('bytes')?.broken?.code).toBe('FILE_UNREADABLE');
    expect(rows.get('copy of good')?.broken).toMatchObject({ code: 'CHAIN_EXISTS', params: { name: 'good' } });
    expect((await store.get('half')).text).toBe('{"name": "half", "steps": [');
    await expect(store.read('half')).rejects.toMatchObject({ code: 'CHAIN_FILE_BROKEN' });
    await expect(store.read('nope')).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
  });

  it('reads a chain file that is a link, and never leaves the folder by a name', async () => {
    const { chains, store, home } = fixture();
    writeFileSync(join(home, 'outside.json'), chainText('outside'));
    expect(await store.names()).toEqual([]);
    await expect(store.get('../outside')).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
    symlinkSync(join(home, 'outside.json'), join(chains, 'linked.json'));
    expect(await store.names()).toEqual(['outside']);
  });
});

describe('save', () => {
  it('writes the given bytes and refuses a save that is based on an older text, keeping both sides', async () => {
    const { store } = fixture({ 'x.json': chainText('x', {}, [step(1)]) });
    const { text, revision } = await store.get('x');
    const mine = text.replace('do it', 'mine');
    const theirs = text.replace('do it', 'theirs');
    const saved = await store.save({ name: 'x', text: mine, base_revision: revision });
    expect(saved.revision).toBe(revisionOf(mine));
    await expect(store.save({ name: 'x', text: theirs, base_revision: revision })).rejects.toMatchObject({
      code: 'CONFLICT',
      params: { name: 'x', revision: saved.revision },
    });
    expect((await store.get('x')).text).toBe(mine);
    await store.save({ name: 'x', text: theirs, base_revision: revision, force: true });
    expect((await store.get('x')).text).toBe(theirs);
  });

  it('sees a change that another program made to the file as a conflict', async () => {
    const { chains, store } = fixture({ 'x.json': chainText('x') });
    const { text, revision } = await store.get('x');
    writeFileSync(join(chains, 'x.json'), chainText('x', { description: 'by hand' }));
    await expect(store.save({ name: 'x', text, base_revision: revision })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('refuses a text that is no chain, a circle, and a changed name; the file stays as it was', async () => {
    const before = chainText('x', {}, [step(1)]);
    const { chains, store } = fixture({ 'x.json': before });
    const base_revision = revisionOf(before);
    const save = (text: string) => store.save({ name: 'x', text, base_revision });
    await expect(save('{"name": "x", "steps": [')).rejects.toMatchObject({ code: 'CHAIN_FILE_BROKEN' });
    await expect(save('')).rejects.toMatchObject({ code: 'CHAIN_FILE_BROKEN' });
    const circle = chainText('x', {}, [step(1, { depends_on: [2] }), step(2, { depends_on: [1] })]);
    await expect(save(circle)).rejects.toMatchObject({
      code: 'CHAIN_CYCLE',
      params: { path: 'step 1 -> step 2 -> step 1' },
    });
    await expect(save(chainText('y', {}, [step(1)]))).rejects.toMatchObject({ code: 'EDIT_REFUSED' });
    expect(readFileSync(join(chains, 'x.json'), 'utf8')).toBe(before);
  });

  it('lets a broken file be replaced by a chain that can be read', async () => {
    const { store } = fixture({ 'half.json': '{"name": "half", ' });
    const { revision } = await store.get('half');
    await store.save({ name: 'half', text: chainText('half'), base_revision: revision });
    expect((await store.read('half')).chain.name).toBe('half');
  });

  it('gives one of two processes that save at the same time a conflict, and the file one whole text', async () => {
    const { home, chains } = fixture({ 'x.json': chainText('x') });
    const program = await testProgram(
      folder,
      'saver',
      `import { createChainStore } from './electron/services/chains/chain-store.ts';
       import { silentLog } from './electron/services/log.ts';
       const [home, label] = process.argv.slice(2);
       const store = createChainStore({ home, now: Date.now, log: silentLog });
       let saved = 0, refused = 0;
       for (let turn = 0; turn < 40; turn += 1) {
         const { text, revision } = await store.get('x');
         const next = JSON.stringify({ ...JSON.parse(text), description: label + turn, notes: 'z'.repeat(20000) });
         try { await store.save({ name: 'x', text: next, base_revision: revision }); saved += 1; }
         catch (error) { if (error.code !== 'CONFLICT') throw error; refused += 1; }
       }
       process.stdout.write(JSON.stringify({ saved, refused }));`,
    );
    const outcomes = await Promise.all(
      ['a', 'b'].map(async (label) => {
        const child = spawn(process.execPath, [program, home, label], { stdio: ['ignore', 'pipe', 'inherit'] });
        let said = '';
        child.stdout.on('data', (part: Buffer) => {
          said += part.toString();
        });
        await once(child, 'close');
        return JSON.parse(said) as { saved: number; refused: number };
      }),
    );
    for (const { saved, refused } of outcomes) expect(saved + refused).toBe(40);
    expect(JSON.parse(readFileSync(join(chains, 'x.json'), 'utf8'))).toMatchObject({
      name: 'x',
      notes: 'z'.repeat(20_000),
    });
  });

  it('says when the folder may not be written, with the old file whole', async () => {
    const before = chainText('x');
    const { home, chains, store } = fixture({ 'x.json': before });
    await store.list();
    chmodSync(folder, 0o755);
    chmodSync(home, 0o755);
    chmodSync(chains, 0o555);
    await asOrdinaryUser(async () => {
      const mine = storeOn(home);
      expect(await mine.names()).toEqual(['x']);
      const text = before.replace('[]', '[ ]');
      await expect(mine.save({ name: 'x', text, base_revision: revisionOf(before) })).rejects.toMatchObject({
        code: 'FILE_UNWRITABLE',
      });
      await expect(mine.create('y')).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
    });
    chmodSync(chains, 0o755);
    expect(readFileSync(join(chains, 'x.json'), 'utf8')).toBe(before);
  });
});

describe('rename, duplicate, delete, restore', () => {
  it('renames file, layout and draft together and changes nothing else in the text', async () => {
    const before = chainText('old', { mine: { kept: true } }, [step(1)]);
    const { chains, store } = fixture({ 'old.json': before });
    await store.saveLayout('old', { positions: { a: { x: 1, y: 2 } } });
    await store.saveDraft('old', 'draft text', revisionOf(before));
    const { revision } = await store.rename('old', '新/名', revisionOf(before));
    const document = await store.get('新/名');
    expect(document).toMatchObject({
      revision,
      file: join(chains, '新%2F名.json'),
      layout: { positions: { a: { x: 1, y: 2 } } },
      draft: { text: 'draft text' },
    });
    expect(document.text.split('\n').filter((line, at) => line !== before.split('\n')[at])).toHaveLength(2);
    expect(indexOf(chains)).toEqual({ '新/名': join(chains, '新%2F名.json') });
    await expect(store.get('old')).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
    await expect(store.rename('新/名', 'z', revisionOf(before))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('renames to the same name in another case', async () => {
    const { store } = fixture({ 'demo.json': chainText('demo') });
    await store.rename('demo', 'Demo');
    expect(await store.names()).toEqual(['Demo']);
  });

  it('duplicates with its layout, not executed yet', async () => {
    const { store } = fixture({ 'a.json': chainText('a', { exec_count: 7 }, [step(1)]) });
    await store.saveLayout('a', { positions: { s: { x: 5, y: 5 } } });
    await store.duplicate('a', 'b');
    expect((await store.read('b')).chain).toMatchObject({ name: 'b', exec_count: 0, created_at: expect.any(String) });
    expect((await store.get('b')).layout.positions).toEqual({ s: { x: 5, y: 5 } });
    await expect(store.duplicate('a', 'b')).rejects.toMatchObject({ code: 'CHAIN_EXISTS' });
  });

  it('puts a deleted chain back with the same bytes and layout, unless its name is taken', async () => {
    const text = chainText('a', {}, [step(1)]);
    const { store } = fixture({ 'a.json': text });
    await store.saveLayout('a', { positions: { s: { x: 5, y: 5 } } });
    const { trashed } = await store.delete('a');
    expect(await store.names()).toEqual([]);
    await store.create('a');
    await expect(store.restore(trashed)).rejects.toMatchObject({ code: 'CHAIN_EXISTS' });
    await store.delete('a');
    expect(await store.restore(trashed)).toEqual({ name: 'a' });
    expect(await store.get('a')).toMatchObject({ text, layout: { positions: { s: { x: 5, y: 5 } } } });
  });

  it.each(['../x.json', '20260105T090000000Z-abcdef~../x.json', '/etc/hostname', 'x'])(
    'restores nothing for %j',
    async (name) => {
      const { store } = fixture({ 'x.json': chainText('x') });
      await expect(store.restore(name)).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
    },
  );
});

describe('layout, draft, count', () => {
  it('opens a chain whose layout or draft can not be read', async () => {
    const { chains, store } = fixture({ 'a.json': chainText('a') });
    mkdirSync(join(chains, '.layout'));
    mkdirSync(join(chains, '.drafts'));
    writeFileSync(join(chains, '.layout', 'a.json'), '{"positions": 3}');
    writeFileSync(join(chains, '.drafts', 'a.json'), '{');
    expect(await store.get('a')).toMatchObject({ layout: { positions: {} }, draft: null });
  });

  it('keeps a draft until it is discarded or saved, and never touches the chain for it', async () => {
    const text = chainText('a');
    const { chains, store } = fixture({ 'a.json': text });
    await store.saveDraft('a', 'unsaved {', revisionOf(text));
    expect((await storeOn(join(chains, '..')).get('a')).draft).toMatchObject({
      text: 'unsaved {',
      based_on: revisionOf(text),
      saved_at: '2026-01-05T09:00:00.000Z',
    });
    await store.discardDraft('a');
    expect((await store.get('a')).draft).toBeNull();
    await store.saveDraft('a', 'again', revisionOf(text));
    await store.save({ name: 'a', text: chainText('a', { description: 'd' }), base_revision: revisionOf(text) });
    expect((await store.get('a')).draft).toBeNull();
    await store.saveLayout('a', { positions: { s: { x: 1, y: 1 } } });
    expect(readFileSync(join(chains, 'a.json'), 'utf8')).toBe(chainText('a', { description: 'd' }));
  });

  it('counts executions over edits that were made meanwhile, also from many sides at once', async () => {
    const { home, store } = fixture({ 'a.json': chainText('a', {}, [step(1)]) });
    const { text, revision } = await store.get('a');
    await store.save({ name: 'a', text: text.replace('do it', 'edited'), base_revision: revision });
    const others = [storeOn(home), storeOn(home), store];
    const at = new Date(2026, 4, 6, 7, 8, 9).getTime();
    await Promise.all(others.map((one) => one.countExecution('a', at)));
    const { chain } = await store.read('a');
    expect(chain).toMatchObject({ exec_count: 3, updated_at: '2026-05-06T07:08:09', steps: [{ action: 'edited' }] });
    await store.countExecution('gone', at);
  });
});

describe('changes', () => {
  it('tells of what this store and other programs change, by name', async () => {
    const { chains, store } = fixture({ 'a.json': chainText('a') });
    const told: string[][] = [];
    let wake: () => void = () => undefined;
    store.onChange((names) => {
      told.push(names);
      wake();
    });
    const until = async (names: string[]) => {
      while (!told.some((one) => names.every((name) => one.includes(name)))) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      told.length = 0;
    };
    await store.create('b');
    await until(['b']);
    writeFileSync(join(chains, 'a.json'), chainText('a', { description: 'by hand' }));
    await until(['a']);
    rmSync(join(chains, 'a.json'));
    await until(['a']);
    expect(await store.names()).toEqual(['b']);
  });
});

describe('the kept list', () => {
  it('is there for the next start and gone as soon as one file differs', async () => {
    const { chains, store } = fixture({ 'a.json': chainText('a', {}, [step(1)]) });
    expect(readListCache(chains)).toBeNull();
    await store.list();
    await store.list();
    expect(readListCache(chains)).toMatchObject([{ name: 'a', steps: 1, broken: null }]);
    for (const change of [
      () => writeFileSync(join(chains, 'a.json'), chainText('a', {}, [step(1), step(2)])),
      () => writeFileSync(join(chains, 'b.json'), chainText('b')),
      () => rmSync(join(chains, 'a.json')),
      () => writeFileSync(join(chains, 'index.json'), '{}'),
      () => writeFileSync(join(chains, '.list.json'), '{"version": 1'),
    ]) {
      await store.list();
      await store.list();
      change();
      expect(readListCache(chains)).toBeNull();
    }
  });
});

describe('a folder that is not there', () => {
  it('is an empty list and is made by the first save', async () => {
    const home = join(folder, 'fresh', 'home');
    const store = storeOn(home);
    expect(await store.list()).toEqual([]);
    expect(existsSync(home)).toBe(false);
    await store.create('first');
    expect(
      readdirSync(join(home, 'chains'))
        .filter((base) => !base.startsWith('.'))
        .sort(),
    ).toEqual(['first.json', 'index.json']);
  });
});
