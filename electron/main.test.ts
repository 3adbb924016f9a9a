import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { testFolder } from './services/files/test-folder.ts';

const repo = resolve(import.meta.dirname, '..');

/** Stands in for the `electron` package: prints every call as a line of JSON; nothing else happens. */
const double = `
import { EventEmitter } from 'node:events';
const say = (name, args) => console.log(JSON.stringify({ name, args }, (_key, value) =>
  typeof value === 'function' ? 'function' : value instanceof EventEmitter ? undefined : value));
const answers = {
  'app.whenReady': async () => undefined,
  'app.requestSingleInstanceLock': () => true,
  'app.getLocale': () => 'zh-CN',
  'app.getVersion': () => '1.2.3',
  'app.getPath': () => process.env.HOME,
  'app.exit': (code) => process.exit(code),
  'screen.getAllDisplays': () => [{ id: 1, workArea: { x: 0, y: 0, width: 1000, height: 700 } }],
  'screen.getPrimaryDisplay': () => ({ id: 1, workArea: { x: 0, y: 0, width: 1000, height: 700 } }),
  'shell.openExternal': async () => undefined,
};
const part = (name, target = new EventEmitter()) => new Proxy(target, {
  get(of, key) {
    if (key in of || typeof key === 'symbol' || key === 'then' || key === 'isPackaged') return of[key];
    return (...args) => { say(name + '.' + key, args); return answers[name + '.' + key]?.(...args); };
  },
});
export class BrowserWindow extends EventEmitter {
  constructor(options) {
    super();
    say('BrowserWindow', [options]);
    this.webContents = part('contents');
  }
  async loadURL(url) {
    say('window.loadURL', [url]);
    setImmediate(() => app.emit('before-quit', { preventDefault() {} }));
  }
}
export const [app, dialog, ipcMain, Menu, protocol, screen, shell] =
  ['app', 'dialog', 'ipcMain', 'Menu', 'protocol', 'screen', 'shell'].map((name) => part(name));
export const session = { defaultSession: part('session') };
app.isPackaged = false;
`;

it('the built program starts with Electron’s parts in place, opens its window and ends in order', async () => {
  const built = spawnSync(process.execPath, ['scripts/build.mjs', 'electron'], { cwd: repo, encoding: 'utf8' });
  expect([built.status, built.stderr]).toEqual([0, '']);
  const folder = testFolder('main');
  mkdirSync(join(folder, 'node_modules/electron'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/electron/index.js'), double);
  writeFileSync(
    join(folder, 'node_modules/electron/package.json'),
    '{"name": "electron", "type": "module", "exports": "./index.js"}',
  );
  cpSync(join(repo, 'dist/electron'), join(folder, 'dist/electron'), { recursive: true });
  cpSync(join(repo, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(repo, 'assets'), join(folder, 'assets'));
  const child = spawn(process.execPath, [join(folder, 'dist/electron/main.js'), '.', '--chain', 'x'], {
    env: { PATH: process.env['PATH'], HOME: folder, SKILL_SUB_HOME: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let wrong = '';
  child.stderr.on('data', (part: Buffer) => {
    wrong += part.toString();
  });
  const calls: { name: string; args: unknown[] }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => calls.push(JSON.parse(line)));
  const code = await new Promise((done) => child.once('close', done));
  expect([wrong.slice(-2000), code]).toEqual(['', 0]);
  const named = (name: string) => calls.filter((call) => call.name === name).map(({ args }) => args);
  expect(named('app.enableSandbox')).toHaveLength(1);
  expect(named('protocol.registerSchemesAsPrivileged')).toMatchObject([[[{ scheme: 'studio' }]]]);
  expect(named('BrowserWindow')).toMatchObject([
    [
      {
        webPreferences: {
          preload: join(folder, 'dist/electron/preload.cjs'),
          sandbox: true,
          contextIsolation: true,
          nodeIntegration: false,
        },
      },
    ],
  ]);
  expect(named('window.loadURL')).toEqual([['studio://app/#/chains/x']]);
  expect(JSON.stringify(named('Menu.buildFromTemplate'))).toContain('编辑');
  expect(named('app.exit')).toEqual([[0]]);
  // A sandboxed preload can load nothing but Electron itself.
  const preload = readFileSync(join(folder, 'dist/electron/preload.cjs'), 'utf8');
  expect([...preload.matchAll(/require\(([^)]*)\)/g)].map(([, name]) => name)).toEqual(['"electron"']);
}, 120_000);
