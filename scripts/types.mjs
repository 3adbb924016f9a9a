#!/usr/bin/env node
/** Type-checks the tree once as a whole and once per room with that room's narrower set of globals. */
import { spawnSync } from 'node:child_process';

let failed = 0;
for (const project of ['.', 'shared', 'electron', 'renderer']) {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], {
    stdio: 'inherit',
  });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} tsc -p ${project}`);
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
