import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import type { Locale } from '../shared/text/texts.ts';
import type { ElectronApis } from './ipc/electron-apis.ts';
import { pageOrigin } from './ipc/page-scheme.ts';
import { type ShellText, shellText } from './ipc/shell-texts.ts';
import { loadWindowState, placeWindow, saveWindowState } from './ipc/window-state.ts';
import type { Log } from './services/log.ts';

export interface WindowOptions {
  readonly preloadFile: string;
  readonly stateFile: string;
  readonly locale: Locale;
  /** Part of the page's address behind `#`. */
  readonly hash: string;
  readonly log: Log;
  /** Called when the person chose to quit after a crash. */
  readonly quit: () => void;
}

/** Every one of these is named, also where it is the default: a default can change under us. */
export function webPreferences(preloadFile: string): NonNullable<BrowserWindowConstructorOptions['webPreferences']> {
  return {
    preload: preloadFile,
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
  };
}

/** Opens the window where it was the last time and keeps its place for the next. */
export function openWindow(
  electron: Pick<ElectronApis, 'BrowserWindow' | 'dialog' | 'screen'>,
  options: WindowOptions,
) {
  const state = loadWindowState(options.stateFile);
  const displays = electron.screen.getAllDisplays();
  const primary = electron.screen.getPrimaryDisplay();
  const areas = [primary, ...displays.filter(({ id }) => id !== primary.id)].map(({ workArea }) => workArea);
  const window = new electron.BrowserWindow({
    ...placeWindow(state, areas),
    minWidth: 480,
    minHeight: 360,
    title: shellText(options.locale, 'name'),
    show: false,
    autoHideMenuBar: true,
    webPreferences: webPreferences(options.preloadFile),
  });
  if (state?.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => {
    const kept = { bounds: window.getNormalBounds(), maximized: window.isMaximized() };
    saveWindowState(options.stateFile, kept).catch((error: unknown) =>
      options.log.warn('the window state was not kept', { error }),
    );
  });
  offerReload(electron.dialog, window, options);
  void load(window, options);
  return window;
}

function load(window: BrowserWindow, options: WindowOptions): Promise<void> {
  return window
    .loadURL(`${pageOrigin}/${options.hash}`)
    .catch((error: unknown) => options.log.error('the page was not loaded', { error }));
}

/** A page that died or hangs: the services live in this process, so nothing but the picture is lost. */
function offerReload(dialog: ElectronApis['dialog'], window: BrowserWindow, options: WindowOptions): void {
  let asking = false;
  const ask = async (message: ShellText, detail: ShellText, other: ShellText): Promise<boolean> => {
    const text = (key: ShellText) => shellText(options.locale, key);
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: text(message),
      detail: text(detail),
      buttons: [text('reload'), text(other)],
      defaultId: 0,
      cancelId: 1,
    });
    return response === 0;
  };
  const offer = async (message: ShellText, detail: ShellText, other: ShellText, otherwise: () => void) => {
    if (asking || window.isDestroyed()) return;
    asking = true;
    const again = await ask(message, detail, other).finally(() => {
      asking = false;
    });
    if (again) await load(window, options);
    else otherwise();
  };
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    options.log.error('the window crashed', { reason });
    void offer('crashed', 'crashed_detail', 'quit', options.quit);
  });
  window.on('unresponsive', () => void offer('hangs', 'hangs_detail', 'wait', () => undefined));
}
