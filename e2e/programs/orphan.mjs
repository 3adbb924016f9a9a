// Starts a child that starts a grandchild in a session of its own and ends at once, so that nothing but the
// environment still tells who the grandchild belongs to. Prints the grandchild's number and waits for ever.
import { spawnSync } from 'node:child_process';

const grandchild = 'setInterval(() => {}, 1e6)';
const child = `
  const { spawn } = require('node:child_process');
  const one = spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { detached: true, stdio: 'ignore' });
  one.unref();
  console.log(one.pid);
`;
const { stdout } = spawnSync(process.execPath, ['-e', child], { encoding: 'utf8' });
console.log(JSON.stringify({ pid: process.pid, grandchild: Number(stdout) }));
setInterval(() => {}, 1_000_000);
