import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../services/processes/test-processes.ts';
import { hashOf, startDesktop, type WindowContext } from './desktop.ts';
import { ElectronDouble, preventable, type WindowDouble } from './electron-double.ts';
import { connectChannel } from './port-host.ts';

const repo = resolve(import.meta.dirname, '../..');
let home: string;
let electron: ElectronDouble;
let contexts: WindowContext[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'desktop-'));
  vi.stubEnv('SKILL_SUB_HOME', join(home, 'data'));
  vi.stubEnv('WORKBUDDY_SKILLS_DIR', join(home, 'skills'));
  vi.stubEnv('HOME', home);
  electron = new ElectronDouble();
  contexts = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const { services } of contexts) await services.dispose();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function start(argv: readonly string[] = []): Promise<void> {
  return startDesktop({
    electron: electron.apis,
    rendererFolder: join(home, 'page'),
    appFolder: repo,
    argv,
    setMenu: (locale) => electron.calls.push(['setMenu', locale]),
    openWindow(context) {
      contexts.push(context);
      return new electron.apis.BrowserWindow({ title: context.hash });
    },
  });
}

const answersOf = (part: unknown) => (part as { answers: Record<string, unknown> }).answers;
const names = () => electron.calls.map(([name]) => name);
const hashes = () => electron.windows.map(({ options }) => (options as { title: string }).title);

/** As Electron does it: the quit is prevented until everything has ended, then the program exits by itself. */
async function quit(): Promise<void> {
  const event = preventable({});
  electron.app.emit('before-quit', event);
  expect(event.prevented).toBe(true);
}

describe('the desktop program', () => {
  it('guards itself before the first window exists', async () => {
    await start();
    const order = [
      'app.enableSandbox',
      'protocol.registerSchemesAsPrivileged',
      'app.requestSingleInstanceLock',
      'app.whenReady',
      'session.setPermissionRequestHandler',
      'session.setPermissionCheckHandler',
      'session.setDevicePermissionHandler',
      'protocol.handle',
      'setMenu',
    ];
    expect(names().filter((name) => order.includes(name))).toEqual(order);
    expect(electron.app.listenerCount('web-contents-created')).toBe(1);
    expect(electron.ipcMain.listenerCount(connectChannel)).toBe(1);
    expect(electron.defaultSession.listenerCount('will-download')).toBe(1);
    expect(hashes()).toEqual(['']);
    expect(contexts[0]).toMatchObject({ locale: 'en' });
  });

  it('ends at once when another instance runs, and hands it what was asked for', async () => {
    answersOf(electron.app)['requestSingleInstanceLock'] = () => false;
    await start(['--chain', 'one']);
    expect(electron.of('app.requestSingleInstanceLock')).toEqual([[{ argv: ['--chain', 'one'] }]]);
    expect(electron.of('app.quit')).toHaveLength(1);
    expect(names()).not.toContain('app.whenReady');
    expect(electron.windows).toEqual([]);
    expect(() => readdirSync(join(home, 'data'))).toThrow('ENOENT');
  });

  it('does what a second start was asked for, in the window that is there', async () => {
    await start(['--chain', '发布 1']);
    expect(hashes()).toEqual([`#/chains/${encodeURIComponent('发布 1')}`]);
    const [window] = electron.windows as [WindowDouble];
    window.minimized = true;
    electron.app.emit('second-instance', {}, [], '', { argv: ['--chain=two'] });
    expect(window.webContents.loaded).toEqual(['studio://app/#/chains/two']);
    expect(names().filter((name) => name.startsWith('window.'))).toEqual(['window.restore', 'window.focus']);
    for (const data of [null, 5, {}, { argv: 'x' }, { argv: [1, {}] }]) {
      electron.app.emit('second-instance', {}, [], '', data);
    }
    expect(window.webContents.loaded).toHaveLength(1);
    expect(electron.windows).toHaveLength(1);
    window.emit('closed');
    electron.app.emit('second-instance', {}, [], '', { argv: [] });
    expect(electron.windows).toHaveLength(2);
  });

  it('says why when the services do not start, in the language of the machine, and ends', async () => {
    answersOf(electron.app)['getLocale'] = () => 'zh-Hans-CN';
    answersOf(electron.app)['getVersion'] = () => {
      throw new Error('no version');
    };
    await start();
    expect(electron.of('dialog.showErrorBox')).toEqual([['程序无法启动。', expect.stringContaining('no version')]]);
    expect(electron.of('app.exit')).toEqual([[1]]);
    expect(electron.windows).toEqual([]);
  });

  it('opens its window on a data home that can not be used, and says so when something is read or written', async () => {
    writeFileSync(join(home, 'data'), 'a file where the folder should be');
    await start();
    const { chains } = contexts[0]!.services;
    await expect(chains.create('x')).rejects.toMatchObject({ code: expect.stringMatching(/^FILE_UN/) });
    await expect(chains.list()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(readFileSync(join(home, 'data'), 'utf8')).toBe('a file where the folder should be');
  });

  it('quits when its last window is closed, but not on a Mac', async () => {
    await start();
    electron.app.emit('window-all-closed');
    expect(electron.of('app.quit')).toHaveLength(process.platform === 'darwin' ? 0 : 1);
    await quit();
    await vi.waitFor(() => expect(electron.of('app.exit')).toEqual([[0]]));
    expect(electron.of('dialog.showMessageBox')).toEqual([]);
  });

  it('asks before it ends runs, stays when told so, and leaves no process when it goes', async () => {
    const folder = join(home, 'skills/programs');
    cpSync(join(repo, 'e2e/programs'), join(folder, 'scripts'), { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: programs\ndescription: Tiny programs.\n---\n');
    mkdirSync(join(home, 'data/chains'), { recursive: true });
    const step = { index: 1, skill_name: 'programs', step_name: 'forks', action: 'x', kind: 'skill_exec' };
    const chain = { name: 'tree', steps: [{ ...step, with: { entrypoint: 'forks.mjs' } }] };
    writeFileSync(join(home, 'data/chains/tree.json'), JSON.stringify(chain));
    writeFileSync(join(home, 'data/config.json'), '{"stop_grace_seconds": 1}');
    await start();
    const { services } = contexts[0]!;
    const { run_id: runId } = await services.runs.start({ chain_name: 'tree' });
    let said = '';
    for await (const batch of services.runs.watch(runId)) {
      for (const chunk of batch.logs) if (chunk.stream === 'stdout') said += chunk.text;
      if (said.includes('\n')) break;
    }
    const { pid, children } = JSON.parse(said) as { pid: number; children: number[] };

    answersOf(electron.dialog)['showMessageBox'] = async () => ({ response: 1 });
    await quit();
    await vi.waitFor(() => expect(electron.of('dialog.showMessageBox')).toHaveLength(1));
    expect(electron.of('dialog.showMessageBox')[0]).toMatchObject([{ message: '1 run is not finished.', cancelId: 1 }]);
    expect([pid, ...children].every(isRunning)).toBe(true);

    answersOf(electron.dialog)['showMessageBox'] = async () => ({ response: 0 });
    await vi.waitFor(async () => {
      await quit();
      expect(electron.of('dialog.showMessageBox').length).toBeGreaterThan(1);
    });
    await vi.waitFor(() => expect(electron.of('app.exit')).toEqual([[0]]), { timeout: 20_000 });
    expect([pid, ...children].filter(isRunning)).toEqual([]);
    const journal = readFileSync(join(home, 'data/runs', runId, 'journal.jsonl'), 'utf8');
    expect(journal.trimEnd().split('\n').at(-1)).toContain('"run_interrupted"');
  });
});

describe('the command line of the program', () => {
  it.each([
    [[], ''],
    [['--chain', 'a b'], '#/chains/a%20b'],
    [['--chain=a/b'], '#/chains/a%2Fb'],
    [['--chain=../x#y'], '#/chains/..%2Fx%23y'],
    [['--chain'], ''],
    [['--chain='], ''],
    [['--other', 'x'], ''],
  ])('%j opens %j', (argv, hash) => {
    expect(hashOf(argv)).toBe(hash);
  });
});
