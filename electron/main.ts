import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, dialog, ipcMain, Menu, protocol, screen, session, shell } from 'electron';
import { startDesktop } from './ipc/desktop.ts';
import { menuTemplate } from './menu.ts';
import { openWindow } from './window.ts';

const here = dirname(fileURLToPath(import.meta.url));
const packageFolder = join(here, '..', '..');
/** Children of ours (python, node) can not read inside the archive; what they need is kept beside it. */
const appFolder = packageFolder.replace(/app\.asar$/, 'app.asar.unpacked');
const electron = { app, BrowserWindow, Menu, dialog, ipcMain, protocol, screen, session, shell };

await startDesktop({
  electron,
  rendererFolder: join(packageFolder, 'dist', 'renderer'),
  appFolder,
  // This executable can not be told to act as Node (a fuse is set), so the command line needs the person's own.
  ownCli: { command: 'node', args: [join(appFolder, 'dist', 'cli', 'main.js')] },
  argv: process.argv.slice(app.isPackaged ? 1 : 2),
  setMenu: (locale) =>
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        menuTemplate(locale, { isMac: process.platform === 'darwin', isPackaged: app.isPackaged }),
      ),
    ),
  openWindow: ({ services, locale, hash, quit }) =>
    openWindow(electron, {
      preloadFile: join(here, 'preload.cjs'),
      stateFile: join(app.getPath('userData'), 'window-state.json'),
      locale,
      hash,
      log: services.log,
      quit,
    }),
});
