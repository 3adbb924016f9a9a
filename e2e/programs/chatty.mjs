// chatty.mjs <megabytes>: prints numbered lines of 100 characters until that much is printed.
import { once } from 'node:events';

const total = Number(process.argv[2] ?? 50) * 1024 * 1024;
let printed = 0;
let line = 0;
while (printed < total) {
  let block = '';
  while (block.length < 64 * 1024) {
    line += 1;
    block += `${String(line).padStart(12, '0')} ${'x'.repeat(86)}\n`;
  }
  printed += block.length;
  if (!process.stdout.write(block)) await once(process.stdout, 'drain');
}
console.log(JSON.stringify({ lines: line }));
