import { machineLocale } from '../electron/services/machine-locale.ts';
import { locales } from '../shared/text/texts.ts';
import { reportFailure } from './output.ts';
import { runProgram } from './program.ts';

/** Runs one command line to its end and sets the process's exit code. `version`: of this program. */
export async function start(args: readonly string[], appFolder: string, version: string): Promise<void> {
  // A reader that closes the pipe early (`| head`) is no failure, and what the command does must not be cut off by it.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  try {
    process.exitCode = await runProgram(args, appFolder, version);
  } catch (thrown) {
    process.exitCode = reportFailure(thrown, askedLocale(args));
  }
}

function askedLocale(words: readonly string[]) {
  const at = words.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  const asked = words[at]?.includes('=') ? words[at]?.slice('--lang='.length) : words[at + 1];
  return locales.find((locale) => at >= 0 && locale === asked) ?? machineLocale();
}
