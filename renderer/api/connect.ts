import { portLink, setLink } from './client.ts';

declare global {
  interface Window {
    /** Put there by the desktop shell's preload; absent in a browser. */
    readonly studioHost?: { readonly kind: 'electron' };
  }
}

/**
 * Finds the services before the first call: in the desktop shell over a message port that the preload hands on, else
 * at the local server, which takes the token in the address's fragment once and gives a cookie for it.
 */
export async function connect(): Promise<void> {
  if (window.studioHost?.kind === 'electron') {
    const { port1, port2 } = new MessageChannel();
    window.postMessage('studio:connect', window.location.origin, [port2]);
    setLink(portLink(port1));
    return;
  }
  await openSession();
}

async function openSession(): Promise<void> {
  const token = /^#(?:token=)?([0-9a-f]{32,})$/i.exec(window.location.hash)?.[1];
  if (token === undefined) return;
  // The token leaves the address at once: it is good for one start and belongs in no bookmark.
  history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/chains`);
  await fetch(new URL('session', document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => undefined);
}
