import { RPCHandler } from '@orpc/server/message-port';
import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import type { Services } from '../services/create-services.ts';
import { createRouter } from '../services/handlers.ts';
import { isPageUrl } from './page-scheme.ts';

export const connectChannel = 'studio:connect';
/** A text is at most so long (UTF-16 units) when it comes from the page. */
const messageLimit = 4 * 1024 * 1024;

/**
 * Answers the contract over message ports that our own page sends. `isOurs` says whether contents belong to a window of
 * ours; a frame inside the page, another page or a second port for one page is refused. Returns the way to stop.
 */
export function startPortHost(
  ipcMain: Pick<IpcMain, 'on' | 'removeListener'>,
  services: Services,
  isOurs: (contents: WebContents) => boolean,
): () => void {
  const handler = new RPCHandler(createRouter(services, 'window'));
  const open = new Map<WebContents, { close(): void }>();

  const accept = (event: IpcMainEvent) => {
    const [port] = event.ports;
    const { senderFrame: frame, sender } = event;
    const trusted =
      port !== undefined &&
      event.ports.length === 1 &&
      isOurs(sender) &&
      frame !== null &&
      frame === sender.mainFrame &&
      isPageUrl(frame.url);
    if (!trusted) {
      services.log.warn('a connection was refused', { url: frame?.url ?? null });
      for (const refused of event.ports) refused.close();
      return;
    }
    // A page that was loaded again has lost its old port.
    open.get(sender)?.close();
    open.set(sender, port);
    port.on('close', () => {
      if (open.get(sender) === port) open.delete(sender);
    });
    handler.upgrade({
      postMessage: (message: unknown) => port.postMessage(message),
      on: (name: string, listener: (event?: { data: unknown }) => void) => {
        if (name === 'close') port.on('close', () => listener());
        else
          port.on('message', (message: { data: unknown }) => {
            if (isTooLarge(message.data)) {
              services.log.warn('a message was too large', {});
              port.close();
            } else listener(message);
          });
      },
    });
    port.start();
  };

  ipcMain.on(connectChannel, accept);
  return () => {
    ipcMain.removeListener(connectChannel, accept);
    for (const port of open.values()) port.close();
    open.clear();
  };
}

function isTooLarge(data: unknown): boolean {
  if (typeof data === 'string') return data.length > messageLimit;
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? data.byteLength > messageLimit : false;
}
