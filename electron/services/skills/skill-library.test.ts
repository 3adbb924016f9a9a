import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noticeText } from '../../../shared/skill/notice-texts.ts';
import type { SkillRow, SkillScan } from '../../../shared/skill/skill.ts';
import { silentLog } from '../log.ts';
import { createSkillLibrary, type SkillLibrary, type SkillLibraryOptions } from './skill-library.ts';

let home: string;
let root: string;
let libraries: SkillLibrary[];
let folders: string[];
let settingsListeners: (() => void)[];

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')));
  root = join(home, '.workbuddy', 'skills');
  mkdirSync(root, { recursive: true });
  libraries = [];
  folders = [];
  settingsListeners = [];
});
afterEach(async () => {
  await Promise.all(libraries.map((library) => library.dispose()));
  rmSync(home, { recursive: true, force: true });
});

function open(options: Partial<SkillLibraryOptions> = {}): SkillLibrary {
  const library = createSkillLibrary({
    homeDir: home,
    skillsHome: root,
    settings: {
      values: () => ({ skill_folders: folders }),
      onChange: (callback) => {
        settingsListeners.push(callback);
        return () => undefined;
      },
    },
    log: silentLog,
    env: { PATH: join(home, 'bin') },
    ...options,
  });
  libraries.push(library);
  return library;
}

function write(path: string, content: string | Uint8Array): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function skill(path: string, name: string, more = '', body = 'Body.'): string {
  return write(
    join('.workbuddy/skills', path, 'SKILL.md'),
    `---\nname: ${name}\ndescription: About ${name}\n${more}---\n\n${body}\n`,
  );
}

const codes = (row: SkillRow | undefined) => row?.notices.map(({ code }) => code);
const rowOf = (scan: SkillScan, folder: string) => scan.rows.find((row) => row.folder === join(root, folder));

function addsUp(scan: SkillScan): void {
  expect(scan.counts.found).toBe(scan.rows.length);
  expect(Object.values(scan.counts.by_state).reduce((a, b) => a + b, 0)).toBe(scan.rows.length);
  expect(scan.roots.reduce((sum, { found }) => sum + found, 0)).toBe(scan.rows.length);
}

describe('what a row holds', () => {
  it('has name, slug, description, emoji, version, scripts and whether there are actions', async () => {
    skill('maps', 'draw-maps', 'version: 1.10\nmetadata: {"openclaw":{"slug":"maps-slug","emoji":"🗺"}}\n');
    write('.workbuddy/skills/maps/scripts/main.py', '');
    write('.workbuddy/skills/maps/scripts/lib/util.js', '');
    write('.workbuddy/skills/maps/scripts/__init__.py', '');
    write('.workbuddy/skills/maps/run.sh', '');
    write('.workbuddy/skills/maps/references/x.py', '');
    write('.workbuddy/skills/maps/assets/actions.json', '{}');
    const scan = await open().scan();
    expect(scan.rows).toHaveLength(1);
    expect(scan.rows[0]).toMatchObject({
      name: 'draw-maps',
      slug: 'maps-slug',
      description: 'About draw-maps',
      emoji: '🗺',
      version: '1.10',
      state: 'ready',
      root_id: 'workbuddy',
      folder: join(root, 'maps'),
      file: join(root, 'maps', 'SKILL.md'),
      has_actions: true,
      scripts: ['run.sh', 'scripts/lib/util.js', 'scripts/main.py'],
    });
    addsUp(scan);
  });

  it('reads a front matter of any length, and cuts no character at the end of a part', async () => {
    const long = '技能'.repeat(20_000);
    for (let shift = 0; shift < 4; shift += 1)
      skill(`long-${shift}`, `long-${shift}`, `pad: ${'x'.repeat(shift)}\nnotes: ${long}\n`);
    const scan = await open().scan();
    expect(scan.counts.by_state.ready).toBe(4);
    for (const row of scan.rows) expect(codes(row)).not.toContain('bad_bytes');
    const detail = await libraries[0]!.get(scan.rows[0]!.id);
    expect(detail.fields.find(({ key }) => key === 'notes')?.value).toBe(long);
  });

  it('gives body, fields and files of one skill', async () => {
    skill('maps', 'maps', 'license: MIT\n', 'Use {baseDir}/x.\n');
    write('.workbuddy/skills/maps/scripts/main.py', '12345');
    write('.workbuddy/skills/maps/node_modules/a/index.js', '');
    const library = open();
    const [row] = (await library.list()).rows;
    const detail = await library.get(row!.id);
    expect(detail.body).toBe('Use {baseDir}/x.\n\n');
    expect(detail.truncated).toBe(false);
    expect(detail.fields).toContainEqual({ key: 'license', value: 'MIT' });
    expect(detail.files).toContainEqual({ path: 'scripts/main.py', size_bytes: 5 });
    expect(detail.files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/main.py']);
  });

  it('says SKILL_NOT_FOUND for an unknown id', async () => {
    await expect(open().get('nope')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });
});

describe('a row for every file, whatever is wrong with it', () => {
  it('shows hostile files with a reason, and stops at none of them', async () => {
    const at = '.workbuddy/skills';
    skill('good', 'good');
    write(`${at}/empty/SKILL.md`, '');
    write(`${at}/bom/SKILL.md`, '\ufeff---\nname: bom\ndescription: x\n---\ny');
    write(`${at}/crlf/SKILL.md`, '---\r\nname: crlf\r\ndescription: x\r\n---\r\ny');
    write(`${at}/utf16le/SKILL.md`, Buffer.from('\ufeff---\nname: a\ndescription: x\n---\n', 'utf16le'));
    write(`${at}/utf16bare/SKILL.md`, Buffer.from('---\nname: a\n', 'utf16le'));
    write(`${at}/latin1/SKILL.md`, Buffer.from('---\nname: caf\u00e9\ndescription: x\n---\ny', 'latin1'));
    write(`${at}/binary/SKILL.md`, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0]));
    write(`${at}/huge/SKILL.md`, '---\nname: huge\ndescription: x\n---\n');
    truncateSync(join(root, 'huge', 'SKILL.md'), 100_000_000);
    mkdirSync(join(root, 'folder', 'SKILL.md'), { recursive: true });
    write(`${at}/heading/SKILL.md`, '# Hello\n\nIt greets.\n');
    write(`${at}/colon/SKILL.md`, '---\nname: colon\ndescription: Draws maps. Note: needs a key\n---\ny');
    write(`${at}/js/SKILL.md`, `---js\nrequire('fs').writeFileSync('${join(home, 'marker')}', '')\n---\n`);
    const scan = await open().scan();
    const seen = Object.fromEntries(
      scan.rows.map((row) => [
        row.folder.slice(root.length + 1),
        `${row.state} ${codes(row)!
          .filter((code) => code !== 'name_not_folder')
          .join(',')}`,
      ]),
    );
    expect(seen).toEqual({
      good: 'ready ',
      empty: 'broken empty_file',
      bom: 'ready byte_order_mark',
      crlf: 'ready ',
      utf16le: 'broken utf16',
      utf16bare: 'broken utf16',
      latin1: 'ready bad_bytes',
      binary: 'broken binary',
      huge: 'broken too_large',
      folder: 'broken not_a_file',
      heading: 'broken no_front_matter',
      colon: 'ready recovered',
      js: 'broken fence_not_plain',
    });
    addsUp(scan);
    expect(() => execFileSync('ls', [join(home, 'marker')], { stdio: 'ignore' })).toThrow();
    for (const { notices } of scan.rows) {
      for (const notice of notices) expect(noticeText('zh-CN', notice)).not.toBe(notice.code);
    }
  });

  it.skipIf(process.platform === 'win32')('never waits for a pipe', async () => {
    mkdirSync(join(root, 'pipe'));
    execFileSync('mkfifo', [join(root, 'pipe', 'SKILL.md')]);
    mkdirSync(join(root, 'linked'));
    symlinkSync('../pipe/SKILL.md', join(root, 'linked', 'SKILL.md'));
    const scan = await open().scan();
    expect(codes(rowOf(scan, 'pipe'))).toEqual(['not_a_file']);
    expect(codes(rowOf(scan, 'linked'))).toEqual(['not_a_file']);
    const detail = await libraries[0]!.get(rowOf(scan, 'pipe')!.id);
    expect(detail.body).toBe('');
  });

  it.skipIf(process.platform === 'win32')('says what it may not read', async () => {
    skill('good', 'good');
    chmodSync(skill('secret', 'secret'), 0);
    skill('closed/inner', 'inner');
    chmodSync(join(root, 'closed'), 0);
    chmodSync(home, 0o755);
    const library = open();
    const scan = await withoutRights(() => library.scan());
    expect(rowOf(scan, 'secret')).toMatchObject({
      state: 'broken',
      notices: [{ code: 'unreadable', params: { detail: 'EACCES' } }],
    });
    expect(scan.roots.find(({ id }) => id === 'workbuddy')?.notices).toMatchObject([
      { code: 'folder_unreadable', params: { count: 1, folder: join(root, 'closed'), detail: 'EACCES' } },
    ]);
    expect(rowOf(scan, 'good')?.state).toBe('ready');
    chmodSync(join(root, 'closed'), 0o755);
  });

  it('shows a skill inside a skill, and that hosts do not load it', async () => {
    skill('outer', 'outer');
    skill('outer/inner', 'inner');
    const scan = await open().scan();
    expect(rowOf(scan, 'outer')?.state).toBe('ready');
    expect(rowOf(scan, 'outer/inner')).toMatchObject({ state: 'disabled' });
    expect(codes(rowOf(scan, 'outer/inner'))).toEqual(['nested']);
  });

  it('takes a SKILL.md in any letter case, and the exact one before the others', async () => {
    write('.workbuddy/skills/lower/skill.md', '---\nname: lower\ndescription: x\n---\ny');
    skill('both', 'both');
    write('.workbuddy/skills/both/skill.md', '---\nname: both\ndescription: y\n---\ny');
    const scan = await open().scan();
    expect(rowOf(scan, 'lower')).toMatchObject({ state: 'ready', name: 'lower' });
    expect(codes(rowOf(scan, 'lower'))).toEqual(['file_name_case']);
    const both = scan.rows.filter(({ folder }) => folder === join(root, 'both'));
    // A system that ignores letter case has only one of the two.
    if (both.length === 2) {
      expect(both.map(({ state }) => state)).toEqual(['ready', 'shadowed']);
      expect(both[1]?.shadowed_by).toBe(both[0]?.id);
    }
    addsUp(scan);
  });

  it('looks into no folder that holds no skills, and into no folder that is being copied', async () => {
    for (const name of ['.git', 'node_modules', '.venv', 'venv', '__pycache__', '.demo.77.part'])
      skill(`${name}/x`, name);
    skill('.hidden/x', 'hidden');
    const scan = await open().scan();
    expect(scan.rows.map(({ name }) => name)).toEqual(['hidden']);
  });

  it('says how many folders were too deep', async () => {
    skill(Array(20).fill('d').join('/'), 'deep');
    const scan = await open().scan();
    expect(scan.rows).toEqual([]);
    expect(scan.roots[0]?.notices).toMatchObject([{ code: 'depth_limit', params: { count: 1 } }]);
  });
});

describe.skipIf(process.platform === 'win32')('links', () => {
  it('ends in loops and shows each skill once', async () => {
    skill('demo', 'demo');
    symlinkSync('.', join(root, 'demo', 'demo'));
    symlinkSync('..', join(root, 'demo', 'up'));
    symlinkSync('demo', join(root, 'again'));
    symlinkSync('self', join(root, 'self'));
    const scan = await open().scan();
    expect(scan.rows.map(({ name, state }) => `${name} ${state}`)).toEqual(['demo ready', 'self broken']);
    expect(codes(scan.rows[1])).toEqual(['link_loop']);
    expect(scan.roots[0]?.notices).toMatchObject([{ code: 'links_listed', params: { count: 3 } }]);
  });

  it('shows dead links', async () => {
    symlinkSync('gone', join(root, 'dead'));
    mkdirSync(join(root, 'half'));
    symlinkSync('../gone/SKILL.md', join(root, 'half', 'SKILL.md'));
    const scan = await open().scan();
    expect(codes(rowOf(scan, 'dead'))).toEqual(['link_broken']);
    expect(codes(rowOf(scan, 'half'))).toEqual(['link_broken']);
    expect(rowOf(scan, 'half')?.notices[0]?.params).toEqual({ target: join(root, 'gone/SKILL.md') });
  });

  it('refuses what leads outside every root, says where to, and follows it once the folder is allowed', async () => {
    write('other/a/SKILL.md', '---\nname: a\ndescription: x\n---\ny');
    symlinkSync(join(home, 'other', 'a'), join(root, 'a'));
    mkdirSync(join(root, 'b'));
    symlinkSync(join(home, 'other', 'a', 'SKILL.md'), join(root, 'b', 'SKILL.md'));
    const refused = await open().scan();
    expect(codes(rowOf(refused, 'a'))).toEqual(['link_outside']);
    expect(codes(rowOf(refused, 'b'))).toEqual(['link_outside']);
    expect(rowOf(refused, 'b')).toMatchObject({ state: 'broken', description: '' });
    expect(refused.roots[0]?.notices).toMatchObject([{ code: 'links_refused', params: { count: 2 } }]);
    folders = [join(home, 'other')];
    const allowed = await open().scan();
    expect(allowed.rows.map(({ state, root_id }) => `${root_id} ${state}`)).toEqual(['settings-1 ready']);
  });

  it('does not take an installed link into another root for an escape', async () => {
    write('.agents/skills/x/SKILL.md', '---\nname: x\ndescription: x\n---\ny');
    mkdirSync(join(home, '.claude', 'skills'), { recursive: true });
    symlinkSync('../../.agents/skills/x', join(home, '.claude', 'skills', 'x'));
    const scan = await open().scan();
    expect(scan.rows.map(({ root_id, state }) => `${root_id} ${state}`)).toEqual(['agents ready']);
    expect(scan.roots.find(({ id }) => id === 'claude-code')?.notices).toMatchObject([{ code: 'links_listed' }]);
  });
});

describe('precedence', () => {
  it('lets the first root, then the first path, win and tells the loser who hides it', async () => {
    const text = '---\nname: deploy\ndescription: x\n---\ny';
    folders = [join(home, 'mine'), '~/yours'];
    write('yours/deploy/SKILL.md', text);
    write('.claude/skills/deploy/SKILL.md', text);
    skill('b', 'deploy');
    skill('a', 'Deploy');
    const scan = await open().scan();
    expect(scan.roots.map(({ id, exists }) => `${id} ${exists}`)).toEqual([
      'settings-1 false',
      'settings-2 true',
      'workbuddy true',
      'openclaw false',
      'agents false',
      'claude-code true',
    ]);
    expect(
      scan.rows.map(({ root_id, state, folder }) => `${root_id} ${state} ${folder.slice(home.length + 1)}`),
    ).toEqual([
      'settings-2 ready yours/deploy',
      'workbuddy shadowed .workbuddy/skills/a',
      'workbuddy shadowed .workbuddy/skills/b',
      'claude-code shadowed .claude/skills/deploy',
    ]);
    expect(scan.rows.every(({ state, shadowed_by }) => state === 'ready' || shadowed_by === scan.rows[0]?.id)).toBe(
      true,
    );
    expect((await libraries[0]!.find('deploy'))?.id).toBe(scan.rows[0]?.id);
  });

  it('never lets a broken file hide a good one', async () => {
    write('.workbuddy/skills/a/SKILL.md', '---\nname: deploy\n---\ny');
    skill('b', 'deploy');
    const scan = await open().scan();
    expect(rowOf(scan, 'a')?.state).toBe('broken');
    expect(rowOf(scan, 'b')?.state).toBe('ready');
  });

  it('searches a folder once, even when two roots hold it', async () => {
    skill('a', 'a');
    folders = [join(home, '.workbuddy'), root];
    const scan = await open().scan();
    expect(scan.rows).toHaveLength(1);
    expect(scan.roots.filter(({ notices }) => notices.some(({ code }) => code === 'root_searched'))).toHaveLength(2);
    addsUp(scan);
  });
});

describe('needs', () => {
  const needs = (block: object) => `metadata: ${JSON.stringify({ openclaw: block })}\n`;

  it('lists every unmet need at once', async () => {
    skill(
      'a',
      'a',
      needs({ os: ['nowhere'], requires: { bins: ['no-such-bin'], anyBins: ['x1', 'x2'], env: ['NO_SUCH_KEY'] } }),
    );
    const scan = await open().scan();
    expect(scan.rows[0]?.state).toBe('not_eligible');
    expect(codes(scan.rows[0])).toEqual(['need_os', 'need_bin', 'need_any_bin', 'need_env']);
  });

  it('is ready when all is there', async () => {
    const bin = write('bin/tool', '#!/bin/sh\n');
    chmodSync(bin, 0o755);
    skill(
      'a',
      'a',
      needs({ os: [process.platform], requires: { bins: ['tool'], anyBins: ['x1', 'tool'], env: ['KEY'] } }),
    );
    const scan = await open({ env: { PATH: join(home, 'bin'), KEY: 'v' } }).scan();
    expect(scan.rows[0]).toMatchObject({ state: 'ready', notices: [] });
    expect(libraries[0]!.envNeeds(scan.rows[0]!.id)).toEqual(['KEY']);
  });

  it('holds the system even with "always", and nothing else', async () => {
    skill('a', 'a', needs({ always: true, requires: { bins: ['no-such-bin'] } }));
    skill('b', 'b', needs({ always: true, os: ['nowhere'] }));
    const scan = await open().scan();
    expect(scan.rows.map(({ state }) => state)).toEqual(['ready', 'not_eligible']);
  });

  it('shows what can not be checked and never looks for it', async () => {
    skill('a', 'a', needs({ requires: { bins: ['a||b', '/etc/passwd', '$(x)'], config: ['browser.enabled'] } }));
    const scan = await open().scan();
    expect(scan.rows[0]?.state).toBe('ready');
    expect(codes(scan.rows[0])).toEqual(['bin_unchecked', 'bin_unchecked', 'bin_unchecked', 'config_unchecked']);
  });

  it('is not ready when its needs can not be read', async () => {
    skill('a', 'a', 'metadata: {"openclaw": {"os": [}\n');
    expect((await open().scan()).rows[0]?.state).toBe('not_eligible');
  });
});

describe('find', () => {
  it('looks by name, slug and folder, without case, and by dashes for spaces', async () => {
    skill('folder-of-maps', 'Draw Maps', 'metadata: {"openclaw":{"slug":"map-slug"}}\n');
    const library = open();
    for (const name of ['Draw Maps', 'draw maps', 'draw-maps', 'MAP-SLUG', 'folder-of-maps', 'of-maps']) {
      expect((await library.find(name))?.name, name).toBe('Draw Maps');
    }
    for (const name of ['', 'nope', 'of', '../folder-of-maps']) expect(await library.find(name), name).toBeNull();
  });

  it('never guesses between two', async () => {
    skill('maps-a', 'a');
    skill('maps-b', 'b');
    expect(await open().find('maps')).toBeNull();
  });

  it('finds no broken, nested or hidden skill', async () => {
    write('.workbuddy/skills/bad/SKILL.md', '# x');
    skill('outer', 'outer');
    skill('outer/inner', 'inner');
    const library = open();
    expect(await library.find('bad')).toBeNull();
    expect(await library.find('inner')).toBeNull();
  });
});

describe('changes', () => {
  it('reads again only what changed', async () => {
    const file = skill('a', 'a');
    skill('b', 'b');
    const library = open();
    await library.scan();
    writeFileSync(file, '---\nname: a2\ndescription: new\n---\ny');
    rmSync(join(root, 'b'), { recursive: true });
    const scan = await library.scan();
    expect(scan.rows.map(({ name, description }) => `${name} ${description}`)).toEqual(['a2 new']);
  });

  it('sees a change that keeps size and time of the file', async () => {
    const file = skill('a', 'aa');
    const time = new Date('2026-01-01T00:00:00Z');
    utimesSync(file, time, time);
    const library = open();
    await library.scan();
    writeFileSync(file, '---\nname: bb\ndescription: About aa\n---\n\nBody.\n');
    utimesSync(file, time, time);
    expect((await library.scan()).rows[0]?.name).toBe('bb');
  });

  it('tells of a new skill, a changed one and a removed one, and of nothing else', async () => {
    skill('a', 'a');
    const library = open();
    await library.scan();
    const names: string[] = [];
    library.onChange((scan) => names.push(scan.rows.map(({ name }) => name).join(' ')));
    await vi.waitFor(() => expect(names).toEqual(['a']), { timeout: 10_000 });
    skill('b', 'b');
    await vi.waitFor(() => expect(names.at(-1)).toBe('a b'), { timeout: 10_000 });
    skill('b', 'c');
    await vi.waitFor(() => expect(names.at(-1)).toBe('a c'), { timeout: 10_000 });
    rmSync(join(root, 'a'), { recursive: true });
    await vi.waitFor(() => expect(names.at(-1)).toBe('c'), { timeout: 10_000 });
    write('.workbuddy/skills/b/notes.txt', 'not part of a row');
    await library.scan();
    expect(names.at(-1)).toBe('c');
    expect(new Set(names).size).toBe(names.length);
  });

  it('waits for a root that is not there yet', async () => {
    const library = open();
    let last = '';
    library.onChange((scan) => {
      last = scan.rows.map(({ root_id, name }) => `${root_id} ${name}`).join();
    });
    await library.scan();
    write('.agents/skills/late/SKILL.md', '---\nname: late\ndescription: x\n---\ny');
    await vi.waitFor(() => expect(last).toBe('agents late'), { timeout: 10_000 });
  });

  it('searches the folders of the settings as soon as they change', async () => {
    write('more/x/SKILL.md', '---\nname: x\ndescription: x\n---\ny');
    const library = open();
    expect((await library.list()).rows).toEqual([]);
    folders = [join(home, 'more')];
    for (const listener of settingsListeners) listener();
    expect((await library.list()).rows.map(({ name }) => name)).toEqual(['x']);
  });

  it('serves many callers with one search', async () => {
    for (let i = 0; i < 50; i += 1) skill(`s${i}`, `s${i}`);
    const library = open();
    const scans = await Promise.all(Array.from({ length: 20 }, () => library.scan()));
    expect(new Set(scans).size).toBe(1);
  });
});

/** As a user without rights: root may read everything. */
async function withoutRights<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return action();
  onTestFinished(() => process.seteuid?.(0));
  process.seteuid?.(65_534);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}
