#!/usr/bin/env node
// Renders pages slowly, with a PROGRESS line for each, and prints one JSON object at the end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const [command, ...rest] = process.argv.slice(2);

function fail(code, message, hint) {
  console.error(`ERROR:${code}: ${message}`);
  console.error(`HINT: ${hint}`);
  process.exit(1);
}

if (command !== 'render')
  fail('USAGE', `Unknown command: ${command ?? ''}`, 'Use: main.mjs render [--pages N] [--page-ms N]');

const { values } = parseArgs({
  args: rest,
  options: { pages: { type: 'string', default: '8' }, 'page-ms': { type: 'string', default: '500' } },
});
const pages = Number(values.pages);
const pageMs = Number(values['page-ms']);
if (!Number.isInteger(pages) || pages < 1 || pages > 1000) {
  fail('BAD_PAGES', 'The number of pages has to be 1 to 1000. 页数须为 1 到 1000。', 'Use --pages 8.');
}

const folder = process.env['SKILL_SUB_STEP_FOLDER'];
const files = [];
for (let page = 1; page <= pages; page += 1) {
  await sleep(pageMs);
  if (folder) {
    const file = `page-${page}.html`;
    writeFileSync(join(folder, file), `<!doctype html><title>${page}</title><p>Page ${page} · 第 ${page} 页</p>\n`);
    files.push(file);
  }
  console.log(`PROGRESS:${Math.round((page / pages) * 100)}: Page ${page} of ${pages} · 第 ${page} 页，共 ${pages} 页`);
}
console.log(JSON.stringify({ ok: true, pages, files }));
