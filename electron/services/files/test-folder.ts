import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

/** For tests: a temp folder that is gone after the file's last test. */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `studio-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** For tests: a small program made from TypeScript, to be run by a process of its own. Returns its file. */
export async function testProgram(folder: string, name: string, source: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: source, loader: 'ts', resolveDir: resolve(import.meta.dirname, '../../..') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

/** For tests: does something as somebody whom file permissions bind; root may write everywhere. */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
