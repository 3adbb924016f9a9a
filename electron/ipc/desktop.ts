import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { errorHint, errorMessage, toAppError } from '../../shared/errors/app-error.ts';
import { fillText, type Locale, nearestLocale } from '../../shared/text/texts.ts';
import { createServices, followChanges, type Services, type ServicesOptions } from '../services/create-services.ts';
import { findHomes } from '../services/find-homes.ts';
import { createFileLog } from '../services/log.ts';
import type { ElectronApis } from './electron-apis.ts';
import { hardenContents, hardenSession } from './harden.ts';
import { pageOrigin, pageScheme, servePageScheme } from './page-scheme.ts';
import { startPortHost } from './port-host.ts';
import { type ShellText, shellText } from './shell-texts.ts';

export interface DesktopOptions {
  readonly electron: ElectronApis;
  /** Folder of the built page, the preload and the files that children of ours can read. */
  readonly rendererFolder: string;
  readonly appFolder: string;
  readonly ownCli?: ServicesOptions['ownCli'];
  readonly openWindow: (context: WindowContext) => BrowserWindow;
  readonly setMenu: (locale: Locale) => void;
  readonly argv: readonly string[];
}

export interface WindowContext {
  readonly services: Services;
  readonly locale: Locale;
  readonly hash: string;
  readonly quit: () => void;
}

/**
 * The desktop program: one instance per person, which takes over what a second start was asked for. Resolves when it
 * runs, or when it found that another instance does and ends.
 */
export async function startDesktop(options: DesktopOptions): Promise<void> {
  const { electron, openWindow } = options;
  const { app, BrowserWindow, dialog, ipcMain, protocol, session, shell } = electron;
  const homes = findHomes();
  const log = createFileLog(join(homes.dataHome, 'logs', 'desktop.log'));
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([pageScheme]);
  hardenContents(app, shell, log);
  if (!app.requestSingleInstanceLock({ argv: [...options.argv] })) {
    app.quit();
    return;
  }
  await app.whenReady();
  const locale = nearestLocale(app.getLocale());
  const text = (key: ShellText) => shellText(locale, key);
  hardenSession(session.defaultSession);
  servePageScheme(protocol, options.rendererFolder);
  options.setMenu(locale);

  let services: Services;
  try {
    services = await createServices({
      ...homes,
      appFolder: options.appFolder,
      version: app.getVersion(),
      locale,
      ...(options.ownCli === undefined ? {} : { ownCli: options.ownCli }),
      log,
      now: Date.now,
      newId: () => randomBytes(6).toString('hex'),
    });
    await followChanges(services);
  } catch (thrown) {
    const error = toAppError(thrown);
    log.error('the services do not start', { error: thrown });
    dialog.showErrorBox(text('start_failed'), `${errorMessage(error, locale)}\n${errorHint(error, locale)}`);
    app.exit(1);
    return;
  }

  const windows = new Set<BrowserWindow>();
  const open = (hash: string) => {
    const window = openWindow({ services, locale, hash, quit: () => app.quit() });
    windows.add(window);
    window.once('closed', () => windows.delete(window));
  };
  startPortHost(ipcMain, services, (contents) => [...windows].some((window) => window.webContents === contents));
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const hash = hashOf(argvOf(data));
    const [window] = windows;
    if (window === undefined) return open(hash);
    if (hash !== '') void window.webContents.loadURL(`${pageOrigin}/${hash}`);
    if (window.isMinimized()) window.restore();
    window.focus();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) open('');
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  quitInOrder(options, services, locale);
  open(hashOf(options.argv));
}

/** The part of the page that a command line asks for: `--chain NAME` or `--chain=NAME`. */
export function hashOf(argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === '--chain' || word.startsWith('--chain='));
  if (at < 0) return '';
  const name = argv[at]?.startsWith('--chain=') ? argv[at]?.slice('--chain='.length) : argv[at + 1];
  return name === undefined || name === '' ? '' : `#/chains/${encodeURIComponent(name)}`;
}

function argvOf(data: unknown): readonly string[] {
  if (typeof data !== 'object' || data === null || !('argv' in data) || !Array.isArray(data.argv)) return [];
  return data.argv.filter((word): word is string => typeof word === 'string').slice(0, 100);
}

/** Asks when runs of ours would end, then ends them with all their processes before the program goes. */
function quitInOrder({ electron }: DesktopOptions, services: Services, locale: Locale): void {
  const { app, dialog } = electron;
  let state: 'open' | 'asking' | 'ending' = 'open';
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (state !== 'open') return;
    state = 'asking';
    void mayQuit().then(async (may) => {
      if (!may) {
        state = 'open';
        return;
      }
      state = 'ending';
      await services.dispose().catch((error: unknown) => services.log.error('not ended in order', { error }));
      app.exit(0);
    });
  });

  async function mayQuit(): Promise<boolean> {
    const count = await services.countOwnActiveRuns();
    if (count === 0) return true;
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: fillText(shellText(locale, 'runs_active'), { count }),
      detail: shellText(locale, 'runs_active_detail'),
      buttons: [shellText(locale, 'quit'), shellText(locale, 'stay')],
      defaultId: 1,
      cancelId: 1,
    });
    return response === 0;
  }
}
