import { realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

export interface PageFile {
  readonly file: string;
  readonly contentType: string;
  readonly bytes: number;
  /** The build puts a fingerprint into these names: what is behind one never changes. */
  readonly immutable: boolean;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The file of the built page that a URL's path names; null for everything that is not one: another folder, a hidden
 * file, an unknown type, a link that leads out.
 */
export async function findPageFile(folder: string, urlPath: string): Promise<PageFile | null> {
  const path = decode(urlPath);
  if (path === null) return null;
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part.startsWith('.') || /[\\:\p{Cc}]/u.test(part))) return null;
  const wanted = join(folder, ...(parts.length === 0 ? ['index.html'] : parts));
  const contentType = contentTypes[extname(wanted).toLowerCase()];
  if (contentType === undefined) return null;
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(wanted)]);
    if (!file.startsWith(root + sep)) return null;
    const info = await stat(file);
    if (!info.isFile()) return null;
    return { file, contentType, bytes: info.size, immutable: parts[0] === 'assets' };
  } catch {
    return null;
  }
}

function decode(urlPath: string): string | null {
  try {
    return decodeURIComponent(urlPath);
  } catch {
    return null;
  }
}
