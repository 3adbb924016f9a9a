import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { locales } from '../shared/text/texts.ts';
import { ElectronDouble, type WindowDouble } from './ipc/electron-double.ts';
import { menuTemplate } from './menu.ts';
import { silentLog } from './services/log.ts';
import { openWindow, webPreferences } from './window.ts';

let folder: string;
let electron: ElectronDouble;
let quits: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'window-'));
  electron = new ElectronDouble();
  quits = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(more: { hash?: string; locale?: 'en' | 'zh-CN' } = {}): WindowDouble {
  openWindow(electron.apis, {
    preloadFile: '/app/preload.cjs',
    stateFile: join(folder, 'window-state.json'),
    locale: 'en',
    hash: '',
    log: silentLog,
    quit() {
      quits += 1;
    },
    ...more,
  });
  return electron.windows.at(-1)!;
}

describe('the window', () => {
  it('is sandboxed, isolated and without Node, whatever the defaults are', () => {
    expect(webPreferences('/app/preload.cjs')).toEqual({
      preload: '/app/preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    });
    expect(open().options).toMatchObject({ webPreferences: webPreferences('/app/preload.cjs') });
  });

  it('loads our own page, and is shown when there is something to see', () => {
    const window = open({ hash: '#/chains/x' });
    expect(electron.of('window.loadURL')).toEqual([['studio://app/#/chains/x']]);
    expect(window.options).toMatchObject({ show: false });
    expect(electron.of('window.show')).toEqual([]);
    window.emit('ready-to-show');
    expect(electron.of('window.show')).toHaveLength(1);
  });

  it('is opened again where it was closed', async () => {
    const file = join(folder, 'window-state.json');
    open().emit('close');
    await vi.waitFor(() => expect(existsSync(file)).toBe(true));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      bounds: { x: 10, y: 20, width: 800, height: 600 },
      maximized: false,
    });
    expect(open().options).toMatchObject({ x: 10, y: 20, width: 800, height: 600 });
    expect(electron.of('window.maximize')).toEqual([]);
    writeFileSync(file, JSON.stringify({ bounds: { x: 10, y: 20, width: 800, height: 600 }, maximized: true }));
    open();
    expect(electron.of('window.maximize')).toHaveLength(1);
  });

  it('offers to open the page again when it crashed, and quits when the person wants that', async () => {
    const window = open({ hash: '#/chains/x', locale: 'zh-CN' });
    const answers = (electron.dialog as unknown as { answers: { showMessageBox: () => Promise<{ response: number }> } })
      .answers;
    window.webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
    expect(electron.of('dialog.showMessageBox')).toEqual([]);
    window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    // A second crash while the first is being asked about asks nothing more.
    window.webContents.emit('render-process-gone', {}, { reason: 'oom' });
    await vi.waitFor(() => expect(electron.of('window.loadURL')).toHaveLength(2));
    expect(electron.of('window.loadURL')[1]).toEqual(['studio://app/#/chains/x']);
    expect(electron.of('dialog.showMessageBox')).toMatchObject([
      [window, { message: '窗口已停止工作。', buttons: ['重新打开', '退出'], cancelId: 1 }],
    ]);
    answers.showMessageBox = async () => ({ response: 1 });
    window.webContents.emit('render-process-gone', {}, { reason: 'killed' });
    await vi.waitFor(() => expect(quits).toBe(1));
    expect(electron.of('window.loadURL')).toHaveLength(2);
  });

  it('that hangs can be waited for', async () => {
    const answers = (electron.dialog as unknown as { answers: { showMessageBox: () => Promise<{ response: number }> } })
      .answers;
    answers.showMessageBox = async () => ({ response: 1 });
    const window = open();
    window.emit('unresponsive');
    await vi.waitFor(() => expect(electron.of('dialog.showMessageBox')).toHaveLength(1));
    expect(electron.of('window.loadURL')).toHaveLength(1);
    expect(quits).toBe(0);
    window.destroyed = true;
    window.emit('unresponsive');
    expect(electron.of('dialog.showMessageBox')).toHaveLength(1);
  });
});

describe('the menu', () => {
  const rolesOf = (template: ReturnType<typeof menuTemplate>): string[] =>
    template.flatMap(({ role, submenu }) => [
      ...(role === undefined ? [] : [role]),
      ...(Array.isArray(submenu) ? rolesOf(submenu) : []),
    ]);

  it('has what the system expects, in each language, and no developer tools when packaged', () => {
    for (const locale of locales) {
      const development = menuTemplate(locale, { isMac: false, isPackaged: false });
      const packaged = menuTemplate(locale, { isMac: true, isPackaged: true });
      for (const role of ['quit', 'cut', 'copy', 'paste', 'selectAll', 'windowMenu', 'toggleDevTools']) {
        expect(rolesOf(development)).toContain(role);
      }
      expect(rolesOf(packaged)).toContain('appMenu');
      expect(rolesOf(packaged)).not.toContain('toggleDevTools');
      expect(rolesOf(packaged)).not.toContain('reload');
    }
    expect(menuTemplate('zh-CN', { isMac: false, isPackaged: true })[1]?.label).toBe('编辑');
  });
});
