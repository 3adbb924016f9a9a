import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ElectronApis } from './electron-apis.ts';

/** For tests: one call of an API of Electron's, in the order in which they came. */
export type Recorded = readonly [name: string, ...args: unknown[]];

type Answer = (...args: never[]) => unknown;

/**
 * For tests: a double of the parts of Electron that the shell uses. It does nothing but write down every call and answer
 * as told; events are sent by hand with `emit`.
 */
export class ElectronDouble {
  readonly calls: Recorded[] = [];
  readonly app = this.#part('app', {
    whenReady: async () => undefined,
    requestSingleInstanceLock: () => true,
    getLocale: () => 'en-US',
    getVersion: () => '1.2.3',
    enableSandbox: () => undefined,
    quit: () => undefined,
    exit: () => undefined,
  });
  readonly dialog = this.#part('dialog', {
    showErrorBox: () => undefined,
    showMessageBox: async () => ({ response: 0 }),
  });
  readonly ipcMain = this.#part('ipcMain', {});
  readonly protocol = this.#part('protocol', { registerSchemesAsPrivileged: () => undefined, handle: () => undefined });
  readonly shell = this.#part('shell', { openExternal: async () => undefined });
  readonly defaultSession = this.#part('session', {
    setPermissionRequestHandler: () => undefined,
    setPermissionCheckHandler: () => undefined,
    setDevicePermissionHandler: () => undefined,
  });
  readonly screen = this.#part('screen', {
    getAllDisplays: () => [display],
    getPrimaryDisplay: () => display,
  });
  readonly windows: WindowDouble[] = [];

  /** Everything as the shell gets it. */
  get apis(): ElectronApis {
    const { app, dialog, ipcMain, protocol, shell, screen, defaultSession, windows, calls } = this;
    class BrowserWindow extends WindowDouble {
      constructor(options: object) {
        super(options, calls);
        windows.push(this);
      }
      static getAllWindows() {
        return windows;
      }
    }
    const session = { defaultSession };
    return { app, dialog, ipcMain, protocol, shell, screen, session, BrowserWindow, Menu: {} } as never;
  }

  /** Arguments of every call of one API. */
  of(name: string): unknown[][] {
    return this.calls.filter(([called]) => called === name).map(([, ...args]) => args);
  }

  #part<Answers extends Record<string, Answer>>(name: string, answers: Answers): EventEmitter & Answers {
    const { calls } = this;
    const part = new EventEmitter();
    const recorded = Object.fromEntries(
      Object.keys(answers).map((key) => [
        key,
        (...args: never[]) => {
          calls.push([`${name}.${key}`, ...args]);
          // Looked up late, so that a test can give another answer.
          return (part as unknown as { answers: Answers }).answers[key]?.(...args);
        },
      ]),
    );
    return Object.assign(part, recorded, { answers }) as never;
  }
}

const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } };

/** For tests: a window; its page is `studio://app/`. */
export class WindowDouble extends EventEmitter {
  readonly webContents = new ContentsDouble();
  readonly options: object;
  readonly #calls: Recorded[];
  minimized = false;
  destroyed = false;

  constructor(options: object, calls: Recorded[] = []) {
    super();
    this.options = options;
    this.#calls = calls;
    for (const name of ['show', 'focus', 'restore', 'maximize', 'loadURL'] as const) {
      (this as unknown as Record<string, unknown>)[name] = async (...args: unknown[]) => {
        this.#calls.push([`window.${name}`, ...args]);
      };
    }
  }

  getNormalBounds() {
    return { x: 10, y: 20, width: 800, height: 600 };
  }

  isMaximized() {
    return false;
  }

  isMinimized() {
    return this.minimized;
  }

  isDestroyed() {
    return this.destroyed;
  }
}

/** For tests: the contents of a window. */
export class ContentsDouble extends EventEmitter {
  url = 'studio://app/';
  readonly loaded: string[] = [];
  readonly mainFrame = { url: this.url };
  openHandler: ((details: { url: string }) => { action: string }) | null = null;

  getURL() {
    return this.url;
  }

  async loadURL(url: string) {
    this.loaded.push(url);
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }) {
    this.openHandler = handler;
  }
}

/** For tests: the two ends of a message port: the main process's kind, and the page's. */
export function portPair(): { main: MainPort; page: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  return { main: new MainPort(port1), page: port2 };
}

/** For tests: a message port as the main process of Electron has it. */
export class MainPort extends EventEmitter {
  readonly #port: MessagePort;
  closed = false;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('close', () => {
      this.closed = true;
      this.emit('close');
    });
  }

  start() {
    this.#port.on('message', (data: unknown) => this.emit('message', { data }));
  }

  postMessage(message: unknown) {
    this.#port.postMessage(message);
  }

  close() {
    this.closed = true;
    this.#port.close();
  }
}

/** For tests: an event of Electron's that can be prevented. */
export function preventable<Fields extends object>(
  fields: Fields,
): Fields & { prevented: boolean; preventDefault(): void } {
  return {
    ...fields,
    prevented: false,
    preventDefault() {
      this.prevented = true;
    },
  };
}
