import { readFile } from 'node:fs/promises';
import type { CustomScheme, Protocol } from 'electron';
import { pageHeaders } from '../services/page/content-policy.ts';
import { findPageFile } from '../services/page/page-file.ts';

export const pageOrigin = 'studio://app';

/**
 * The scheme of the page: an origin of its own, with the rights of https. It stands for files of the built page only,
 * so that nothing of the machine's other files can be reached, as it could under `file:`.
 */
export const pageScheme: CustomScheme = {
  scheme: 'studio',
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/** Whether a URL belongs to our page. */
export function isPageUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'studio:' && new URL(url).host === 'app';
}

/** Answers every request of the scheme from the folder of the built page. */
export function servePageScheme(protocol: Pick<Protocol, 'handle'>, rendererFolder: string): void {
  protocol.handle(pageScheme.scheme, async (request) => {
    if (!isPageUrl(request.url) || (request.method !== 'GET' && request.method !== 'HEAD')) {
      return new Response('Not found\n', { status: 404, headers: pageHeaders });
    }
    const found = await findPageFile(rendererFolder, new URL(request.url).pathname);
    if (found === null) return new Response('Not found\n', { status: 404, headers: pageHeaders });
    const headers = { ...pageHeaders, 'content-type': found.contentType, 'cache-control': 'no-cache' };
    return new Response(request.method === 'HEAD' ? null : await readFile(found.file), { headers });
  });
}
