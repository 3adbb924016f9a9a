#!/usr/bin/env node
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineLocale } from '../electron/services/machine-locale.ts';
import { locales } from '../shared/text/texts.ts';
import { reportFailure } from './output.ts';
import { runProgram } from './program.ts';

// A reader that closes the pipe early (`| head`) is no failure, and what the command does must not be cut off by it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const appFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const args = process.argv.slice(2);
runProgram(args, appFolder).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (thrown: unknown) => {
    process.exitCode = reportFailure(thrown, askedLocale(args));
  },
);

function askedLocale(words: readonly string[]) {
  const at = words.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  const asked = words[at]?.includes('=') ? words[at]?.slice('--lang='.length) : words[at + 1];
  return locales.find((locale) => at >= 0 && locale === asked) ?? machineLocale();
}
