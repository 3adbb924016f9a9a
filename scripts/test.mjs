#!/usr/bin/env node
/**
 * `npm test`: builds the application, runs the unit tests and then the end-to-end tests in a real Chromium, and ends
 * with one line `N passed, N failed, N skipped`. Every skipped test is named with its reason.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { findOrInstallChromium } from './find-chromium.mjs';

const total = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const unitReport = 'test-results/unit.json';
const windowReport = 'test-results/e2e.json';
mkdirSync('test-results', { recursive: true });
for (const file of [unitReport, windowReport]) rmSync(file, { force: true });

function runNode(args, env = {}) {
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

runUnitTests();
// The built program is needed by these tests only.
if (readdirSync('e2e').some((name) => name.endsWith('.spec.ts'))) {
  if (runNode(['scripts/build.mjs']) === 0) runWindowTests();
  else {
    console.error('The build failed; no window test was run.');
    total.failed += 1;
  }
} else console.log('There are no window tests (e2e/*.spec.ts).');
for (const reason of skips) console.log(`skipped: ${reason}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

function runUnitTests() {
  const status = runNode([
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${unitReport}`,
  ]);
  if (!existsSync(unitReport)) {
    total.failed += 1;
    return;
  }
  const report = JSON.parse(readFileSync(unitReport, 'utf8'));
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  // A file that can not be loaded has no test that could fail; the exit status still says so.
  if (status !== 0 && report.numFailedTests === 0) total.failed += 1;
  for (const file of report.testResults) {
    for (const one of file.assertionResults) {
      if (one.status === 'pending' || one.status === 'skipped') skips.push(one.fullName);
    }
  }
}

function runWindowTests() {
  const chromium = findOrInstallChromium();
  if (chromium === null) {
    total.failed += 1;
    return;
  }
  const status = runNode(['node_modules/@playwright/test/cli.js', 'test'], chromium ? { CHROMIUM_PATH: chromium } : {});
  if (!existsSync(windowReport)) {
    total.failed += 1;
    return;
  }
  const { stats, suites } = JSON.parse(readFileSync(windowReport, 'utf8'));
  total.passed += stats.expected + stats.flaky;
  total.failed += stats.unexpected;
  total.skipped += stats.skipped;
  if (status !== 0 && stats.unexpected === 0) total.failed += 1;
  for (const suite of suites) collectSkips(suite);
}

function collectSkips(suite) {
  for (const inner of suite.suites ?? []) collectSkips(inner);
  for (const spec of suite.specs ?? []) {
    for (const one of spec.tests) {
      if (one.status !== 'skipped') continue;
      const reason = one.annotations.find((note) => note.type === 'skip')?.description ?? 'no reason given';
      skips.push(`${spec.title}: ${reason}`);
    }
  }
}
