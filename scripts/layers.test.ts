import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repo = join(dirname(fileURLToPath(import.meta.url)), '..');
const table = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: unknown[];
  options: Record<string, unknown>;
};

/** One planted import per rule of the table: [the file, what it imports, the rule that must catch it]. */
const planted: readonly (readonly [file: string, imported: string, rule: string])[] = [
  ['shared/text/a.ts', '../errors/clean.ts', 'shared-text'],
  ['shared/errors/a.ts', '../chain/clean.ts', 'shared-errors'],
  ['shared/graph/a.ts', '../chain/clean.ts', 'shared-graph'],
  ['shared/history/a.ts', '../chain/clean.ts', 'shared-history'],
  ['shared/settings/a.ts', '../run/clean.ts', 'shared-settings'],
  ['shared/chain/a.ts', '../run/clean.ts', 'shared-chain'],
  ['shared/skill/a.ts', '../run/clean.ts', 'shared-skill'],
  ['shared/action/a.ts', '../api/clean.ts', 'shared-action'],
  ['shared/template/a.ts', '../chain/clean.ts', 'shared-template'],
  ['shared/run/a.ts', '../api/clean.ts', 'shared-run'],
  ['shared/api/a.ts', '../../electron/services/clean.ts', 'shared-api'],
  ['shared/chain/b.ts', 'node:fs', 'shared-is-pure'],
  ['shared/chain/c.ts', 'react', 'shared-libraries'],
  ['electron/services/a.ts', '../http/clean.ts', 'services'],
  ['electron/services/b.ts', 'electron', 'electron-only-in-the-shell'],
  ['electron/ipc/a.ts', '../http/clean.ts', 'ipc'],
  ['electron/http/a.ts', '../ipc/clean.ts', 'http'],
  ['electron/preload.ts', './services/clean.ts', 'preload'],
  ['cli/a.ts', '../electron/ipc/clean.ts', 'cli'],
  ['renderer/a.ts', '../electron/services/clean.ts', 'renderer'],
  ['renderer/b.ts', 'node:path', 'no-node-in-renderer'],
  ['renderer/ui/a.ts', '../stores/clean.ts', 'renderer-ui'],
  ['renderer/stores/a.ts', '../editor/clean.ts', 'renderer-stores'],
  ['renderer/chains/a.ts', '../editor/clean.ts', 'renderer-chains'],
  ['renderer/editor/a.ts', '../toolbar/clean.ts', 'renderer-editor'],
  ['renderer/skills/a.ts', '../runs/clean.ts', 'renderer-skills'],
  ['renderer/runs/a.ts', '../editor/clean.ts', 'renderer-runs'],
  ['renderer/jobs/a.ts', '../runs/clean.ts', 'renderer-jobs'],
  ['renderer/settings/a.ts', '../jobs/clean.ts', 'renderer-settings'],
  ['renderer/toolbar/a.ts', '../jobs/clean.ts', 'renderer-toolbar'],
  ['shared/chain/circle-a.ts', './circle-b.ts', 'no-circular'],
];
const allowed: readonly (readonly [file: string, imported: string])[] = [
  ['shared/chain/fine.ts', '../graph/clean.ts'],
  ['shared/chain/fine-library.ts', 'zod'],
  ['electron/services/fine.ts', 'node:fs'],
  ['electron/ipc/fine.ts', 'electron'],
  ['renderer/editor/fine.ts', '../ui/clean.ts'],
  ['renderer/editor/fine-library.ts', 'react'],
];

let folder = '';
let found: { rule: string; from: string }[] = [];

describe('the import table', () => {
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'layers-')));
    symlinkSync(join(repo, 'node_modules'), join(folder, 'node_modules'), 'dir');
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', dependencies: { zod: '4', react: '19', electron: '45' } }),
    );
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const [file, imported] of [...planted, ...allowed]) {
      write(file, `import * as it from '${imported}';\nexport const used = it;\n`);
      if (imported.endsWith('clean.ts')) write(join(dirname(file), imported), 'export const clean = 1;\n');
    }
    write('shared/chain/circle-b.ts', "import * as it from './circle-a.ts';\nexport const used = it;\n");
    const { tsConfig: _ours, ...options } = table.options;
    const result = await cruise(['shared', 'electron', 'cli', 'renderer'], {
      ...options,
      ruleSet: { forbidden: table.forbidden },
      validate: true,
      baseDir: folder,
      preserveSymlinks: true,
    } as ICruiseOptions);
    const output = result.output as ICruiseResult;
    found = output.summary.violations.map((one) => ({ rule: one.rule.name, from: one.from }));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(planted)('%s may not import %s', (file, _imported, rule) => {
    expect(found.filter((one) => one.from === file).map((one) => one.rule)).toContain(rule);
  });

  it.each(allowed)('%s may import %s', (file) => {
    expect(found.filter((one) => one.from === file)).toEqual([]);
  });

  it('has no rule without a planted violation', () => {
    const names = (table.forbidden as { name: string }[]).map((rule) => rule.name).sort();
    expect([...new Set(planted.map(([, , rule]) => rule))].sort()).toEqual(names);
  });
});
