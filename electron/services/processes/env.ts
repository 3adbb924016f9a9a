import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** What a child may see of our own environment: no secrets of the host. Case matters except on Windows. */
const passedOn = [
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'TERM', 'DISPLAY'],
  ...['WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['SKILL_SUB_HOME', 'SKILL_CHAIN_HOME', 'WORKBUDDY_SKILLS_DIR'],
];
const passedOnWindows = [
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH'],
  ...['APPDATA', 'LOCALAPPDATA', 'ProgramData', 'ProgramFiles', 'ProgramFiles(x86)', 'ProgramW6432'],
  ...['NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE'],
];
/** Names of this form mark the processes of one call, so that they are found when it ends; see process-tree.ts. */
export const markPrefix = 'SKILL_SUB_MARK_';

/** Names that change which code a program loads; nobody may set them for a child, not even the person's own files. */
const refused = [
  /^(NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|ELECTRON_RUN_AS_NODE)$/,
  /^(LD_|DYLD_|GLIBC_|MALLOC_)/,
  /^(PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PYTHONINSPECT|PYTHONUSERBASE|PYTHONEXECUTABLE|PYTHONBREAKPOINT)$/,
  /^(BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|IFS|ZDOTDIR)$/,
  /^(PERL5LIB|PERL5OPT|PERL5DB|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH)$/,
  /^(GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_PAGER|GIT_EXEC_PATH|GIT_CONFIG.*|PAGER|EDITOR|VISUAL|BROWSER)$/,
  /^(PATH|PATHEXT|COMSPEC|SYSTEMROOT|WINDIR|GCONV_PATH|HOSTALIASES|LOCPATH|OPENSSL_CONF|OPENSSL_MODULES)$/,
];

/** Whether a variable may be given to a child by a step, a skill or a setting. Names are compared without case. */
export function isRefusedVariable(name: string): boolean {
  return name === '' || /[=\0]/.test(name) || refused.some((pattern) => pattern.test(name.toUpperCase()));
}

/**
 * The whole environment of a child process: a small part of our own, UTF-8 asked for, and `extra` on top. Variables
 * of `extra` that change how programs load (`isRefusedVariable`) are left out. Calling it with its own result gives
 * the same again.
 */
export function childEnvironment(
  extra: Readonly<Record<string, string | undefined>> = {},
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  const names = process.platform === 'win32' ? [...passedOn, ...passedOnWindows] : passedOn;
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const known = process.platform === 'win32' ? names.some((other) => sameName(other, name)) : names.includes(name);
    if (known || name.startsWith('LC_') || name.startsWith(markPrefix)) env[name] = value;
  }
  env['PATH'] = searchPath(own);
  env['PYTHONUTF8'] = '1';
  env['PYTHONIOENCODING'] = 'utf-8';
  // Without it Python keeps its output back until it ends, and nobody could watch a step at work.
  env['PYTHONUNBUFFERED'] = '1';
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined && !value.includes('\0') && !isRefusedVariable(name)) env[name] = value;
  }
  return env;
}

/**
 * Where programs are looked for: our PATH, and the folders that a program started from a desktop misses because no
 * login shell set them.
 */
export function searchPath(own: NodeJS.ProcessEnv = process.env): string {
  const given = (own['PATH'] ?? own['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (process.platform === 'win32') return given.join(delimiter);
  const home = own['HOME'] ?? homedir();
  const usual = [
    '/usr/local/bin',
    '/opt/homebrew/bin',
    '/usr/bin',
    '/bin',
    join(home, '.local/bin'),
    join(home, 'bin'),
  ];
  const missing = usual.filter((folder) => !given.includes(folder) && existsSync(folder));
  return [...given, ...missing].join(delimiter);
}

function sameName(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
