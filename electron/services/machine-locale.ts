import { type Locale, nearestLocale } from '../../shared/text/texts.ts';

/** The language of this machine, by the POSIX variables in their order, else by the system's own setting. */
export function machineLocale(env: NodeJS.ProcessEnv = process.env): Locale {
  const named = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find((value) => value !== undefined && value !== '');
  // A bare POSIX locale says nothing about a person's language; macOS and Windows programs often have none at all.
  if (named !== undefined && !/^(C|POSIX)(\.|$)/i.test(named)) return nearestLocale(named);
  // Elsewhere the system's setting is these variables, and asking for it would cost a tenth of a start.
  if (named !== undefined || (process.platform !== 'darwin' && process.platform !== 'win32')) return 'en';
  return nearestLocale(Intl.DateTimeFormat().resolvedOptions().locale);
}
