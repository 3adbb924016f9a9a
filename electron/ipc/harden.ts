import type { App, Session, Shell, WebContents } from 'electron';
import type { Log } from '../services/log.ts';
import { isPageUrl } from './page-scheme.ts';

/** Schemes that may leave for the system's programs; everything else (`file:`, `ms-msdt:` ...) could start one. */
const linkSchemes = new Set(['https:', 'http:', 'mailto:']);

/**
 * Opens a link of the page in the system's browser or mail program. Returns false for a link that is refused; nothing
 * happens then.
 */
export function openLink(shell: Pick<Shell, 'openExternal'>, url: string, log: Log): boolean {
  const allowed = url.length <= 4096 && URL.canParse(url) && linkSchemes.has(new URL(url).protocol);
  if (!allowed) {
    log.warn('a link was refused', { url: url.slice(0, 200) });
    return false;
  }
  // The parsed form: what was checked is what is opened.
  shell.openExternal(new URL(url).href).catch((error: unknown) => log.warn('a link was not opened', { error }));
  return true;
}

/** Every content of the program, also one that is made later: no navigation away, no window, no embedded page. */
export function hardenContents(app: Pick<App, 'on'>, shell: Pick<Shell, 'openExternal'>, log: Log): void {
  app.on('web-contents-created', (_event, contents) => hardenOne(contents, shell, log));
}

/** Denies what a page may ask of the machine, but for reading a clipboard that a person pastes from. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(isAllowed(contents?.getURL() ?? '', permission));
  });
  session.setPermissionCheckHandler((contents, permission) => isAllowed(contents?.getURL() ?? '', permission));
  session.setDevicePermissionHandler(() => false);
  // A download would write where a page wants it; texts are saved by calls that check what they write.
  session.on('will-download', (event) => event.preventDefault());
}

function isAllowed(url: string, permission: string): boolean {
  return isPageUrl(url) && permission === 'clipboard-sanitized-write';
}

function hardenOne(contents: WebContents, shell: Pick<Shell, 'openExternal'>, log: Log): void {
  const refuse = (event: { preventDefault(): void }, url: string) => {
    if (isPageUrl(url)) return;
    event.preventDefault();
    openLink(shell, url, log);
  };
  contents.on('will-navigate', (event) => refuse(event, event.url));
  contents.on('will-redirect', (event) => refuse(event, event.url));
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isPageUrl(event.url)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openLink(shell, url, log);
    return { action: 'deny' };
  });
}
