#!/usr/bin/env node
/**
 * `npm run package [-- ARGS]`: builds everything and packages it with electron-builder for this system, or for the one
 * that the arguments name (`--linux dir`). ELECTRON_OVERRIDE_DIST_PATH names a folder with an Electron runtime, for
 * machines that can not fetch one. Nothing is ever published from here.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (file, args) => {
  const { status } = spawnSync(process.execPath, [join(root, file), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
if (dist !== undefined && !existsSync(dist)) {
  console.error(`ELECTRON_OVERRIDE_DIST_PATH names a folder that is not there: ${dist}`);
  process.exit(2);
}
run('scripts/build.mjs', []);
run('node_modules/electron-builder/cli.js', [
  '--config',
  'electron-builder.yml',
  '--publish',
  'never',
  ...(dist === undefined ? [] : [`-c.electronDist=${dist}`]),
  ...process.argv.slice(2),
]);
