#!/usr/bin/env node
/** Runs the import table of .dependency-cruiser.cjs; a run that saw no module is a failure too. */
import { spawnSync } from 'node:child_process';

const rooms = ['shared', 'electron', 'cli', 'renderer'];
const result = spawnSync(
  process.execPath,
  ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--output-type', 'json', ...rooms],
  { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);
if (result.stderr) process.stderr.write(result.stderr);
const { summary } = JSON.parse(result.stdout);
for (const violation of summary.violations) {
  console.error(`${violation.rule.severity} ${violation.rule.name}: ${violation.from} -> ${violation.to}`);
}
console.log(`${summary.totalCruised} modules, ${summary.error} violations`);
process.exit(summary.totalCruised > 20 && summary.error === 0 ? 0 : 1);
