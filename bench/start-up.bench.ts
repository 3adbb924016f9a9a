/** `skill-sub list` on a home with three chains, and `skill-sub --version`, beside `node -e 0`: whole command, wall time. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, report } from './measure.ts';

const home = mkdtempSync(join(tmpdir(), 'bench-start-'));
mkdirSync(join(home, 'chains'), { recursive: true });
for (const name of ['one', 'two', 'three']) {
  const steps = Array.from({ length: 5 }, (_, at) => ({
    index: at + 1,
    skill_name: 'demo',
    step_name: `step ${at + 1}`,
    action: 'do it',
  }));
  writeFileSync(join(home, 'chains', `${name}.json`), JSON.stringify({ name, steps }, null, 2));
}
const env = { ...process.env, SKILL_SUB_HOME: home, HOME: home };
const run = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
};
const times = await interleaved(15, {
  floor: () => run('-e', '0'),
  list: () => run('dist/cli/main.js', 'list'),
  version: () => run('dist/cli/main.js', '--version'),
});
report('skill-sub list (3 chains)', times.list, times.floor, 'node -e 0');
report('skill-sub --version', times.version, times.floor, 'node -e 0');
rmSync(home, { recursive: true, force: true });
