import { join } from 'node:path';
import { findHomes } from '../../electron/services/find-homes.ts';
import { silentLog } from '../../electron/services/log.ts';
import { createSettingsStore } from '../../electron/services/settings/settings-store.ts';
import type { CommandContext } from '../command-context.ts';

/** `settings [--get-config]`: the effective values; `--get-config` prints them as JSON whatever else is asked. */
export async function settings(options: { getConfig?: boolean }, context: CommandContext): Promise<number> {
  const { output, appFolder } = context;
  const store = createSettingsStore({
    home: findHomes().dataHome,
    defaultsFile: join(appFolder, 'assets', 'default_config.json'),
    log: silentLog,
    now: Date.now,
  });
  const { values, problems, file, set_aside: setAside } = store.view();
  if (setAside !== null) output.note(output.text('set_aside', { file: setAside }));
  for (const { key, detail } of problems) output.note(output.text('setting_problem', { key, detail }));
  if (options.getConfig) process.stdout.write(`${JSON.stringify(values, null, 2)}\n`);
  else {
    output.value(values);
    output.line(output.text('file', { text: file }));
    for (const [key, value] of Object.entries(values)) output.line(`${key} = ${JSON.stringify(value)}`);
  }
  await store.dispose();
  return 0;
}
