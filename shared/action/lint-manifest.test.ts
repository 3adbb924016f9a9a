import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintManifest, manifestLimit } from './lint-manifest.ts';
import { type ManifestCode, manifestProblemText, manifestTexts } from './manifest-texts.ts';

const action = (patch: Record<string, unknown> = {}) => ({
  id: 'count',
  title: 'Count',
  entrypoint: { type: 'cli', command: 'count', args: ['--text', '{{text}}'] },
  placements: ['toolbar'],
  inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  ...patch,
});
const manifest = (patch: Record<string, unknown> = {}) => ({
  schemaVersion: 1,
  skill: 'demo',
  actions: [action()],
  ...patch,
});
const input = (text: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  actions: [action({ inputSchema: { type: 'object', properties: { text, ...more } } })],
});
const entrypoint = (patch: Record<string, unknown>) => ({
  actions: [action({ entrypoint: { type: 'cli', command: 'count', args: [], ...patch } })],
});
const facts = { slug: 'demo', name: 'Demo skill', folder: 'demo-1.0' };

/** code, JSON path, what stands at line and column, patch of the manifest (or the text itself). */
type Case = [ManifestCode, string, string, Record<string, unknown> | string];

const errors: Case[] = [
  ['json_broken', '', ']', '{"schemaVersion": 1,\n "actions": [1,]}'],
  ['json_broken', '', '// no', '{\n// no\n}'],
  ['json_broken', '', '', ''],
  ['not_object', '', '[', '[]'],
  ['schema_version', 'schemaVersion', '2', { schemaVersion: 2 }],
  ['schema_version', 'schemaVersion', '"1"', { schemaVersion: '1' }],
  ['skill_missing', 'skill', '""', { skill: '' }],
  ['skill_missing', 'skill', '{', { skill: undefined }],
  ['actions_missing', 'actions', '{}', { actions: {} }],
  ['action_not_object', 'actions[0]', '"x"', { actions: ['x'] }],
  ['id_missing', 'actions[0].id', '5', { actions: [action({ id: 5 })] }],
  ['id_duplicate', 'actions[1].id', '"count"', { actions: [action(), action()] }],
  ['entrypoint_missing', 'actions[0].entrypoint', '{', { actions: [action({ entrypoint: undefined })] }],
  ['entrypoint_type', 'actions[0].entrypoint.type', '"http"', entrypoint({ type: 'http' })],
  ['app_not_allowed', 'actions[0].entrypoint.type', '"app"', entrypoint({ type: 'app' })],
  ['command_missing', 'actions[0].entrypoint.command', '" "', entrypoint({ command: ' ' })],
  ['args_not_list', 'actions[0].entrypoint.args', '"x"', entrypoint({ args: 'x' })],
  ['arg_not_scalar', 'actions[0].entrypoint.args[1]', 'null', entrypoint({ args: ['a', null] })],
  ['arg_not_scalar', 'actions[0].entrypoint.args[0]', '{}', entrypoint({ args: [{}] })],
  ['arg_not_scalar', 'actions[0].entrypoint.args[0]', '[]', entrypoint({ args: [[]] })],
  ['template_not_declared', 'actions[0].entrypoint.args[0]', '"{{nope}}"', entrypoint({ args: ['{{nope}}'] })],
  ['field_invalid', 'actions[0].placements', '"toolbar"', { actions: [action({ placements: 'toolbar' })] }],
  [
    'field_invalid',
    'actions[0].inputSchema.type',
    '"array"',
    { actions: [action({ inputSchema: { type: 'array' } })] },
  ],
  ['field_invalid', 'actions[0].inputSchema.properties.text.maxLength', '-1', input({ type: 'string', maxLength: -1 })],
  ['field_invalid', 'actions[0].timeoutSeconds', '0', { actions: [action({ timeoutSeconds: 0 })] }],
  ['field_invalid', 'actions[0].confirmation.message', '""', { actions: [action({ confirmation: { message: '' } })] }],
  ['field_invalid', 'actions[0].risk', '"huge"', { actions: [action({ risk: 'huge' })] }],
  [
    'required_not_declared',
    'actions[0].inputSchema.required[0]',
    '"nope"',
    {
      actions: [
        action({ inputSchema: { type: 'object', required: ['nope'], properties: { text: { type: 'string' } } } }),
      ],
    },
  ],
  ['default_invalid', 'actions[0].inputSchema.properties.text.default', '5', input({ type: 'string', default: 5 })],
  [
    'default_invalid',
    'actions[0].inputSchema.properties.text.default',
    '"c"',
    input({ type: 'string', enum: ['a'], default: 'c' }),
  ],
  ['enum_invalid', 'actions[0].inputSchema.properties.text.enum[1]', '2', input({ type: 'string', enum: ['a', 2] })],
  [
    'range_empty',
    'actions[0].inputSchema.properties.n.minimum',
    '5',
    input({ type: 'string' }, { n: { type: 'number', minimum: 5, maximum: 1 } }),
  ],
  [
    'range_empty',
    'actions[0].inputSchema.properties.text.minLength',
    '5',
    input({ type: 'string', minLength: 5, maxLength: 1 }),
  ],
  ['pattern_invalid', 'actions[0].inputSchema.properties.text.pattern', '"("', input({ type: 'string', pattern: '(' })],
  [
    'pattern_slow',
    'actions[0].inputSchema.properties.text.pattern',
    '"(a+)+"',
    input({ type: 'string', pattern: '(a+)+' }),
  ],
];

const warnings: Case[] = [
  ['duplicate_key', 'skill', '"skill": "b"', '{"schemaVersion": 1, "skill": "a",\n  "skill": "b", "actions": []}'],
  ['skill_mismatch', 'skill', '"other"', { skill: 'other' }],
  ['skill_mismatch', 'skill', '"Demo skill"', { skill: 'Demo skill' }],
  ['title_missing', 'actions[0]', '{', { actions: [action({ title: undefined })] }],
  ['command_not_plain', 'actions[0].entrypoint.command', '"-x"', entrypoint({ command: '-x' })],
  ['template_not_closed', 'actions[0].entrypoint.args[0]', '"{{text"', entrypoint({ args: ['{{text'] })],
  ['placements_missing', 'actions[0]', '{', { actions: [action({ placements: undefined })] }],
  [
    'placement_unknown',
    'actions[0].placements[1]',
    '"menu"',
    { actions: [action({ placements: ['toolbar', 'menu'] })] },
  ],
  ['placement_reserved', 'actions[0].placements[0]', '"row"', { actions: [action({ placements: ['row'] })] }],
  [
    'placement_sensitive',
    'actions[0].placements[1]',
    '"cron"',
    {
      actions: [
        action({
          placements: ['agent', 'cron'],
          inputSchema: { type: 'object', properties: { text: { type: 'string', sensitive: true } } },
        }),
      ],
    },
  ],
  [
    'placement_high_risk',
    'actions[0].placements[0]',
    '"toolbar"',
    { actions: [action({ risk: 'high', confirmation: { message: 'Sure?' } })] },
  ],
  ['confirmation_advised', 'actions[0].risk', '"medium"', { actions: [action({ risk: 'medium' })] }],
  [
    'type_not_supported',
    'actions[0].inputSchema.properties.list.type',
    '"array"',
    input({ type: 'string' }, { list: { type: 'array' } }),
  ],
  ['keyword_not_supported', 'actions[0].inputSchema.properties.text.oneOf', '[]', input({ type: 'string', oneOf: [] })],
];

function check([, path, at, patch]: Case) {
  const text = typeof patch === 'string' ? patch : JSON.stringify(manifest(patch), null, 2);
  const linted = lintManifest(text, facts);
  const lines = text.split('\n');
  const place = linted.problems.filter((problem) => problem.path === path);
  return {
    linted,
    place: place.map((problem) => ({
      ...problem,
      at: lines[problem.line! - 1]!.slice(problem.column! - 1).startsWith(at),
    })),
  };
}

describe('lintManifest', () => {
  it('has nothing to say about a good manifest and gives it back whole', () => {
    const good = manifest({ extra: 1 });
    expect(lintManifest(JSON.stringify(good), facts)).toEqual({ manifest: good, problems: [] });
    expect(lintManifest(`\ufeff${JSON.stringify(good)}`, facts).problems).toEqual([]);
  });

  it.each(errors)('reports the error %s at %s, where %j stands', (...row) => {
    const { linted, place } = check(row);
    expect(place).toContainEqual(expect.objectContaining({ code: row[0], severity: 'error', at: true }));
    expect(linted.manifest?.actions.length ?? 0).toBe(row[0] === 'id_duplicate' ? 1 : 0);
  });

  it.each(warnings)('warns of %s at %s, where %j stands, and keeps the action', (...row) => {
    const { linted, place } = check(row);
    expect(place).toContainEqual(expect.objectContaining({ code: row[0], severity: 'warning', at: true }));
    expect(linted.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(linted.manifest).not.toBeNull();
  });

  it('warns when the skill has no slug and was matched by its name or folder', () => {
    for (const skill of ['Demo skill', 'demo-1.0']) {
      const { problems } = lintManifest(JSON.stringify(manifest({ skill })), { ...facts, slug: null });
      expect(problems).toMatchObject([{ code: 'slug_missing', path: 'skill' }]);
    }
  });

  it('has a case for every code of the table', () => {
    const elsewhere = ['slug_missing', 'too_large', 'file_unreadable'];
    const seen = new Set<string>([...errors, ...warnings].map(([code]) => code).concat(elsewhere as ManifestCode[]));
    expect(Object.keys(manifestTexts.en).filter((code) => !seen.has(code))).toEqual([]);
  });

  it('leaves no placeholder open in the text of any finding, in either language', () => {
    for (const row of [...errors, ...warnings]) {
      for (const problem of check(row).linted.problems) {
        for (const locale of ['en', 'zh-CN'] as const) {
          const text = manifestProblemText(locale, {
            ...problem,
            params: Object.fromEntries(
              Object.entries(problem.params).map(([k, v]) => [k, typeof v === 'string' ? v.replace(/[{}]/g, '') : v]),
            ),
          });
          expect(text, problem.code).not.toMatch(/\{\w+\}/);
        }
      }
    }
  });

  it('leaves a faulty action out and keeps the others', () => {
    const { manifest: read, problems } = lintManifest(
      JSON.stringify(manifest({ actions: [action(), action({ id: 'b', entrypoint: {} }), action({ id: 'c' })] })),
      facts,
    );
    expect(read?.actions.map(({ id }) => id)).toEqual(['count', 'c']);
    expect(problems.every(({ path }) => path.startsWith('actions[1]'))).toBe(true);
  });

  it('leaves a field of a type that is not supported out of the form, and refuses an argument that needs it', () => {
    const fine = lintManifest(JSON.stringify(manifest(input({ type: 'string' }, { list: { type: 'array' } }))), facts);
    expect(Object.keys(fine.manifest!.actions[0]!.inputSchema!.properties!)).toEqual(['text']);
    const needed = lintManifest(JSON.stringify(manifest(input({ type: 'array' }))), facts);
    expect(needed.problems.map(({ code }) => code)).toContain('template_not_declared');
    expect(needed.manifest?.actions).toEqual([]);
  });

  it('lets only the own manifest name commands of the window', () => {
    const text = JSON.stringify(manifest({ skill: 'studio', ...entrypoint({ type: 'app' }) }));
    expect(lintManifest(text, { own: true }).problems).toEqual([]);
  });

  it('refuses a manifest beyond the limit and survives thousands of brackets', () => {
    expect(lintManifest(' '.repeat(manifestLimit + 1)).problems).toMatchObject([{ code: 'too_large' }]);
    expect(lintManifest('['.repeat(100_000)).problems).toMatchObject([{ code: 'json_broken' }]);
  });

  it('never throws, and gives a place for everything it says', () => {
    const json = fc.json({ maxDepth: 6 });
    const near = fc.record({
      schemaVersion: fc.constant(1),
      skill: fc.constant('demo'),
      actions: fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.record({
            id: fc.jsonValue(),
            entrypoint: fc.jsonValue(),
            placements: fc.jsonValue(),
            inputSchema: fc.jsonValue(),
          }),
        ),
      ),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          fc.string(),
          near.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          for (const problem of lintManifest(text, facts).problems) {
            expect(problem.line).toBeGreaterThan(0);
            expect(problem.column).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
