import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { createHome, homeEnvironment } from './host.ts';

/** The Electron executable of the package or of ELECTRON_OVERRIDE_DIST_PATH; null where no runtime is. */
function electronRuntime(): string | null {
  const names: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  };
  const folder =
    process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??
    join(dirname(createRequire(import.meta.url).resolve('electron/package.json')), 'dist');
  const file = join(folder, names[process.platform] ?? 'electron');
  return existsSync(file) ? file : null;
}

const runtime = electronRuntime();

test.describe('the desktop program', () => {
  test.skip(
    runtime === null,
    'NOT TESTED HERE: there is no Electron runtime on this machine (electron/install.js fetches it).',
  );

  test('opens a sandboxed window on the same data home, and the samples run in it', async () => {
    const home = createHome();
    const electron = await _electron.launch({
      executablePath: runtime ?? '',
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '.'],
      env: { ...homeEnvironment(home), DISPLAY: process.env['DISPLAY'] ?? '' } as Record<string, string>,
    });
    try {
      const page = await electron.firstWindow();
      await page.getByRole('button', { name: 'Install the samples' }).click();
      await page.getByRole('link', { name: 'sample-linear' }).click();
      await page.getByRole('button', { name: 'Run', exact: true }).last().click();
      await expect(page.locator('[data-step-id][data-state="succeeded"]')).toHaveCount(3, { timeout: 30_000 });

      // The page has no way to Node, and none out of the program.
      expect(await page.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe('undefined');
      expect(await page.evaluate(() => globalThis.open('https://example.invalid'))).toBeNull();
      const preferences = await electron.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
          getLastWebPreferences(): { sandbox: boolean; contextIsolation: boolean; nodeIntegration: boolean };
        };
        const { sandbox, contextIsolation, nodeIntegration } = contents.getLastWebPreferences();
        return { sandbox, contextIsolation, nodeIntegration };
      });
      expect(preferences).toEqual({ sandbox: true, contextIsolation: true, nodeIntegration: false });
    } finally {
      await electron.close();
      home.remove();
    }
  });
});
