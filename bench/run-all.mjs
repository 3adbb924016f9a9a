#!/usr/bin/env node
/**
 * `npm run bench [name ...]`: bundles each measurement and runs it in a fresh process, one after the other. Every one
 * measures its peer or floor in the same run and prints a ratio, because only ratios within one run compare.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { build } from 'esbuild';

const all = readdirSync('bench')
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.slice(0, -'.bench.ts'.length))
  .sort();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No such measurement: ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(2);
}
if (spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' }).status !== 0) process.exit(1);
mkdirSync('dist/bench', { recursive: true });
let failed = 0;
for (const name of asked.length > 0 ? asked : all) {
  const outfile = `dist/bench/${name}.mjs`;
  await build({
    entryPoints: [`bench/${name}.bench.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  console.log(`\n== ${name}`);
  if (spawnSync(process.execPath, ['--expose-gc', outfile], { stdio: 'inherit' }).status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
