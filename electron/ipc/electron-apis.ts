import type * as Electron from 'electron';

/** The few parts of Electron that the shell uses; `main.ts` hands in the real ones. */
export type ElectronApis = Pick<
  typeof Electron,
  'app' | 'BrowserWindow' | 'Menu' | 'dialog' | 'ipcMain' | 'protocol' | 'screen' | 'session' | 'shell'
>;
