import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names =
  process.platform === 'win32'
    ? ['chrome.exe', 'msedge.exe', 'chromium.exe', 'brave.exe']
    : ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'brave-browser'];

const fixedPlaces = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [process.env['PROGRAMFILES'], process.env['PROGRAMFILES(X86)'], process.env['LOCALAPPDATA']]
    .filter(Boolean)
    .flatMap((base) => [
      join(base, 'Google/Chrome/Application/chrome.exe'),
      join(base, 'Microsoft/Edge/Application/msedge.exe'),
      join(base, 'Chromium/Application/chrome.exe'),
    ]),
};

/** A Chromium-family browser on this machine: CHROMIUM_PATH, PATH, then the usual places; null when there is none. */
export function findChromium() {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return existsSync(named) ? named : null;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...(fixedPlaces[process.platform] ?? []),
  ];
  return candidates.find((file) => existsSync(file)) ?? null;
}

/**
 * Like `findChromium`, but installs one when it can: the system's package on a Debian family machine run as root, else
 * the test library's own download. Returns null, after having said in one line what to install, when nothing helped.
 */
export function findOrInstallChromium() {
  const found = findChromium();
  if (found) return found;
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('No Chromium found; installing the system package "chromium" ...');
    const quiet = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      spawnSync('apt-get', ['update', '-qq'], quiet);
      spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], quiet);
      const installed = findChromium();
      if (installed) return installed;
      spawnSync('sleep', ['5']);
    }
  }
  const download = spawnSync(process.execPath, ['node_modules/@playwright/test/cli.js', 'install', 'chromium'], {
    stdio: 'inherit',
  });
  if (download.status === 0) return '';
  console.error('The window tests need a Chromium-family browser: install Chromium or Chrome, or set CHROMIUM_PATH.');
  return null;
}
