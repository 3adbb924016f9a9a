import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../shared/errors/app-error.ts';

/**
 * Refuses what a web page elsewhere could send here: another `Host` (a name that was rebound to this machine) or another
 * `Origin`. `port` is the server's own. Errors: FORBIDDEN.
 */
export function checkSender(headers: IncomingHttpHeaders, port: number, kind: 'page' | 'call'): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = headers.host;
  if (host === undefined || !hosts.includes(host)) throw new AppError('FORBIDDEN', { detail: 'Host' });
  const origin = headers.origin;
  if (origin !== undefined && origin !== `http://${host}`) throw new AppError('FORBIDDEN', { detail: 'Origin' });
  const site = headers['sec-fetch-site'];
  // A page may be opened from anywhere (it holds nothing without a session); a call may not.
  if (kind === 'call' && site !== undefined && site !== 'same-origin') {
    throw new AppError('FORBIDDEN', { detail: 'Sec-Fetch-Site' });
  }
}

/** Refuses a body that a plain form could have sent. Errors: FORBIDDEN. */
export function checkJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new AppError('FORBIDDEN', { detail: 'Content-Type' });
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The value of one cookie of a request; null when it has none. */
export function cookieValue(headers: IncomingHttpHeaders, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The token of an `Authorization: Bearer` header; null when there is none. */
export function bearerToken(headers: IncomingHttpHeaders): string | null {
  return /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
}
