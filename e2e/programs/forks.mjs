// forks.mjs [--leave]: starts one child in its own group and one in a session of its own, both deaf to SIGTERM, prints
// all numbers and waits for ever; with --leave it exits with status 0 and leaves both behind.
import { spawn } from 'node:child_process';

const deaf = "process.on('SIGTERM', () => {}); process.stdout.write('up'); setInterval(() => {}, 1e6)";
const children = [false, true].map((detached) =>
  spawn(process.execPath, ['-e', deaf], { detached, stdio: ['ignore', 'pipe', 'ignore'] }),
);
await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))));
console.log(JSON.stringify({ pid: process.pid, children: children.map((child) => child.pid) }));
if (process.argv.includes('--leave')) process.exit(0);
setInterval(() => {}, 1_000_000);
