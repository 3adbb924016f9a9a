#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * The file that Node is given: nothing but what every start needs, and the answer to the question that programs ask to
 * see whether this one is there. Built as CommonJS, which starts sooner than a module.
 */
const appFolder = join(__dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8')) as { version: string };
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) process.stdout.write(`${version}\n`);
else {
  // From Node 22 on: what was compiled once is not compiled again at the next start.
  (nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  const { start } = require('./start.js') as typeof import('./start.ts');
  void start(args, appFolder, version);
}
