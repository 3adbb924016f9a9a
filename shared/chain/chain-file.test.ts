import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AppError, errorMessage } from '../errors/app-error.ts';
import { applyEdit } from './apply-edit.ts';
import type { Chain } from './chain.ts';
import { formatNewChain, parseChainFile, serializeChain } from './chain-file.ts';
import { chainGraph } from './chain-graph.ts';
import { expectAppError } from './expect-app-error.ts';
import { sameJson } from './json-value.ts';
import { newChain } from './new-chain.ts';

const release = readFileSync(new URL('fixtures/release-pipeline.json', import.meta.url), 'utf8');

function edited(text: string, ...edits: Parameters<typeof applyEdit>[1][]): string {
  return serializeChain(
    edits.reduce((chain, edit) => applyEdit(chain, edit), parseChainFile(text).chain),
    text,
  );
}

/** Lines that two texts do not share, as a person sees them in a diff. */
function changedLines(before: string, after: string): string[] {
  const old = before.split('\n');
  return after.split('\n').filter((line) => !old.includes(line));
}

function idOf(chain: Chain, at: number): string {
  return chain.steps[at]!.id;
}

describe('the release pipeline of skill-sub', () => {
  const { chain, problems } = parseChainFile(release);

  it('loads with its names, dependencies and policies', () => {
    expect(problems).toEqual([]);
    expect(chain.name).toBe('发布流水线');
    expect(chain.steps.map((step) => step.step_name)).toEqual(['安全审计', '打包', '推送代码']);
    expect(chain.steps.map((step) => step.depends_on)).toEqual([[], [idOf(chain, 0)], [idOf(chain, 1)]]);
    expect(chain.steps[2]!.retry_policy).toEqual({ max_retries: 3, error_types: ['network_error', 'timeout'] });
    expect(chain.steps[0]!.failure_mode).toEqual({ on_exhaust: 'abort', is_milestone: true });
  });

  it('saves to the same bytes, with LF or CRLF, with a byte order mark, without a last line end', () => {
    const forms = [
      release,
      release.replaceAll('\n', '\r\n'),
      `\u{feff}${release}`,
      release.trimEnd(),
      `${release}\n\n`,
    ];
    for (const text of forms) expect(serializeChain(parseChainFile(text).chain, text)).toBe(text);
  });

  it('changes one line when one field is edited', () => {
    const written = edited(release, { kind: 'update_step', id: idOf(chain, 1), patch: { action: '打包为 tar' } });
    expect(changedLines(release, written)).toEqual(['      "action": "打包为 tar",']);
  });

  it('changes one value inside a policy that stands on one line', () => {
    const patch = { retry_policy: { max_retries: 5, error_types: ['timeout' as const] } };
    const written = edited(release, { kind: 'update_step', id: idOf(chain, 2), patch });
    expect(changedLines(release, written)).toEqual([
      '      "retry_policy": {"max_retries": 5, "error_types": ["timeout"]},',
    ]);
  });

  it('adds a field in the place where the format has it, in the style of the file', () => {
    const patch = { detail: '细节', with: { profile: 'claude' } };
    const lines = edited(release, { kind: 'update_step', id: idOf(chain, 0), patch }).split('\n');
    const at = lines.indexOf('      "detail": "细节",');
    expect(lines[at - 1]).toBe('      "skill_instruction": "security-audit",');
    expect(lines[at + 1]).toBe('      "depends_on": [],');
    expect(lines).toContain('      "with": {"profile": "claude"}');
  });

  it('writes CRLF into a CRLF file', () => {
    const text = release.replaceAll('\n', '\r\n');
    const step = { skill_name: '', step_name: 'Report', action: 'Report' };
    const written = edited(text, { kind: 'add_step', step, after: idOf(chain, 2) });
    expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(parseChainFile(written).chain.steps).toHaveLength(4);
  });

  it('renumbers when a step is inserted, and touches nothing else', () => {
    const step = { skill_name: '', step_name: 'Report', action: 'Report' };
    const written = edited(release, {
      kind: 'add_step',
      step,
      insert_between: { from: idOf(chain, 0), to: idOf(chain, 1) },
    });
    const untouched = release.split('\n').filter((line) => !/"index": [23]|"depends_on": \[[12]\]/.test(line));
    const lines = written.split('\n');
    for (const line of untouched) expect(lines).toContain(line);
    const after = parseChainFile(written).chain;
    expect(after.steps.map((other) => other.step_name)).toEqual(['安全审计', 'Report', '打包', '推送代码']);
    expect(after.steps[2]!.depends_on).toEqual(['report']);
  });

  it('writes an id only for a step whose name no longer gives it', () => {
    const action = edited(release, { kind: 'update_step', id: idOf(chain, 0), patch: { action: 'x' } });
    expect(action).not.toContain('"id"');
    const renamed = edited(release, { kind: 'update_step', id: idOf(chain, 0), patch: { step_name: 'Audit' } });
    expect(changedLines(release, renamed)).toEqual([`      "id": "${idOf(chain, 0)}",`, '      "step_name": "Audit",']);
    expect(parseChainFile(renamed).chain.steps[1]!.depends_on).toEqual([idOf(chain, 0)]);
  });
});

describe('dependencies', () => {
  it('mean the step before when they are absent, and none when empty', () => {
    const { chain } = parseChainFile(
      '{"steps":[{"step_name":"a"},{"step_name":"b"},{"step_name":"c","depends_on":[]}]}',
    );
    expect(chain.steps.map((step) => step.depends_on)).toEqual([[], ['a'], []]);
  });

  it('stay absent as long as they mean the step before, and are written when they no longer do', () => {
    const text = '{"steps": [{"step_name": "a"}, {"step_name": "b"}, {"step_name": "c"}]}';
    const renamed = edited(text, { kind: 'update_step', id: 'b', patch: { action: 'go' } });
    expect(renamed).toBe('{"steps": [{"step_name": "a"}, {"step_name": "b", "action": "go"}, {"step_name": "c"}]}');
    const moved = edited(text, { kind: 'move_step', id: 'c', to_index: 0 });
    expect(moved).toBe(
      '{"steps": [{"step_name": "c", "depends_on": [3]}, {"step_name": "a", "depends_on": []}, {"step_name": "b"}]}',
    );
  });

  it('follow the index that the file gives, whatever it counts from', () => {
    const text = '{"steps":[{"index":10,"step_name":"a"},{"index":20,"step_name":"b","depends_on":[10]}]}';
    expect(parseChainFile(text).chain.steps[1]!.depends_on).toEqual(['a']);
    expect(edited(text, { kind: 'update_step', id: 'a', patch: { action: 'x' } })).toContain('"index":20');
    expect(edited(text, { kind: 'disconnect', from: 'a', to: 'b' })).toBe(text.replace('[10]', '[]'));
  });

  it('may be written as text, as an id, and with an index twice; the oddity is said', () => {
    const odd = parseChainFile(
      '{"steps":[{"id":"x"},{"index":1,"depends_on":["1","x"]},{"index":1,"depends_on":null}]}',
    );
    expect(odd.chain.steps[1]!.depends_on).toEqual(['x', 'x']);
    expect(odd.problems.map((problem) => problem.code).sort()).toEqual([
      'dependency_as_text',
      'depends_on_null',
      'duplicate_index',
      'duplicate_index',
    ]);
  });

  it('on an index without a step are kept as such and said, and never become a step by growth', () => {
    const text = '{"steps": [{"step_name": "a", "depends_on": [2]}]}';
    const { chain, problems } = parseChainFile(text);
    expect(chain.steps[0]!.depends_on).toEqual(['?2']);
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'dependency_missing',
        step_id: 'a',
        field: 'depends_on',
        params: { step: 1, index: 2 },
      },
    ]);
    const grown = edited(text, { kind: 'add_step', step: { skill_name: '', step_name: 'b', action: '' } });
    expect(parseChainFile(grown).chain.steps[0]!.depends_on).toEqual(['?3']);
  });

  it('round a cycle load: the check reports them', () => {
    const { chain } = parseChainFile(
      '{"steps":[{"step_name":"a","depends_on":[2]},{"step_name":"b","depends_on":[1]}]}',
    );
    expect(chain.steps.map((step) => step.depends_on)).toEqual([['b'], ['a']]);
  });
});

describe('ids', () => {
  it('that are doubled or no ids are replaced in memory, kept in the file, and said', () => {
    const text =
      '{"steps":[{"id":"a","step_name":"One"},{"id":"a","step_name":"Two"},{"id":"No Id","step_name":"Two"},{"id":{}}]}';
    const { chain, problems } = parseChainFile(text);
    expect(chain.steps.map((step) => step.id)).toEqual(['a', 'two', 'two_2', 'step']);
    expect(problems.map((problem) => [problem.code, problem.params['id']])).toEqual([
      ['duplicate_id', 'a'],
      ['id_unusable', '"No Id"'],
      ['id_unusable', '{…}'],
    ]);
    expect(serializeChain(chain, text)).toBe(text);
  });

  it('of two steps of one name stay apart when the first one goes', () => {
    const text =
      '{"steps":[{"step_name":"Go"},{"step_name":"Go","depends_on":[]},{"step_name":"End","depends_on":[2]}]}';
    const written = edited(text, { kind: 'remove_steps', ids: ['go'] });
    expect(parseChainFile(written).chain.steps.map((step) => [step.id, step.depends_on])).toEqual([
      ['go_2', []],
      ['end', ['go_2']],
    ]);
  });
});

describe('odd files', () => {
  it('with doubled keys open with the last value, say so, and are edited where it counts', () => {
    const text = '{"name": "a", "name": "b", "steps": [{"action": "x", "action": "y"}]}';
    const { chain, problems } = parseChainFile(text);
    expect([chain.name, chain.steps[0]!.action]).toEqual(['b', 'y']);
    expect(problems.map((problem) => [problem.code, problem.field])).toEqual([
      ['duplicate_key', 'name'],
      ['duplicate_key', 'action'],
    ]);
    expect(serializeChain(chain, text)).toBe(text);
    expect(edited(text, { kind: 'update_step', id: 'step', patch: { action: 'z' } })).toBe(text.replace('"y"', '"z"'));
    const withCondition = text.replaceAll('"action"', '"condition"');
    expect(edited(withCondition, { kind: 'update_step', id: 'step', patch: { condition: null } })).toBe(
      '{"name": "a", "name": "b", "steps": [{}]}',
    );
  });

  it('with fields named after parts of every object keep them through edits', () => {
    const text =
      '{"__proto__": {"a": 1}, "steps": [{"__proto__": [2], "constructor": "c", "step_name": "s", "hasOwnProperty": 0}]}';
    const { chain } = parseChainFile(text);
    expect(Object.keys(chain.steps[0]!)).toContain('__proto__');
    expect(chain.steps[0]!.constructor).toBe('c');
    expect(edited(text, { kind: 'update_step', id: 's', patch: { action: 'go' } })).toBe(
      text.replace('"step_name": "s"', '"step_name": "s", "action": "go"'),
    );
    const copied = edited(text, { kind: 'duplicate_steps', ids: ['s'] });
    expect(copied.match(/"__proto__": \[2\]/g)).toHaveLength(2);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('keep numbers that no program here can hold, and null in known fields, as they are', () => {
    const text =
      '{"big": 12345678901234567890, "huge": 1e999, "description": null, "steps": [{"detail": null, "action": "x"}]}';
    const written = edited(text, { kind: 'update_step', id: 'step', patch: { action: 'y' } });
    expect(written).toBe(text.replace('"x"', '"y"'));
    expect(edited(text, { kind: 'update_step', id: 'step', patch: { detail: 'd' } })).toBe(
      text.replace('"detail": null', '"detail": "d"'),
    );
  });

  it('that are written in ASCII stay so', () => {
    const text = '{"name": "\\u53d1\\u5e03", "steps": []}';
    expect(edited(text, { kind: 'update_chain', patch: { description: '说明🚀' } })).toBe(
      '{"name": "\\u53d1\\u5e03", "description": "\\u8bf4\\u660e\\ud83d\\ude80", "steps": []}',
    );
  });

  it('keep a lone half of a character', () => {
    const text = '{"name": "\\ud83d", "steps": [{"step_name": "\\udc00 x"}]}';
    const { chain } = parseChainFile(text);
    expect(chain.name).toBe('\u{d83d}');
    expect(parseChainFile(formatNewChain(chain)).chain.name).toBe('\u{d83d}');
    expect(serializeChain(chain, text)).toBe(text);
  });

  it('without steps get their first one', () => {
    const step = { skill_name: 's', step_name: 'First', action: 'go' };
    const first =
      '{"index": 1, "id": "first", "skill_name": "s", "step_name": "First", "action": "go", "depends_on": []}';
    const add = { kind: 'add_step', step } as const;
    expect(edited('{"name": "x"}', add)).toBe(`{"name": "x", "steps": [${first}]}`);
    expect(edited('{"name": "x", "steps": null}', add)).toBe(`{"name": "x", "steps": [${first}]}`);
    expect(edited('{}\n', { kind: 'update_chain', patch: { name: 'x' } })).toBe('{\n  "name": "x"\n}\n');
  });

  it('keep steps that stand on one line each on one line each', () => {
    const text = '{\n\t"steps": [\n\t\t{"step_name": "a"},\n\t\t{"step_name": "b"}\n\t]\n}';
    const written = edited(text, {
      kind: 'add_step',
      step: { skill_name: '', step_name: 'c', action: '' },
      after: 'b',
    });
    expect(written.split('\n')[4]).toBe(
      '\t\t{"index": 3, "id": "c", "skill_name": "", "step_name": "c", "action": "", "depends_on": [2]}',
    );
  });
});

describe('a new file', () => {
  it('is laid out as skill-sub does it: indent 2, its order of fields, signs unescaped, a last line end', () => {
    const chain = applyEdit(newChain('发布', '2026-01-05T09:00:00', { tags: ['a'], triggers: [1] }), {
      kind: 'add_step',
      step: { timeout_seconds: 5, notes: 'n', extra: true, skill_name: 's', step_name: '审计', action: 'x' },
    });
    expect(formatNewChain(chain)).toBe(`{
  "name": "发布",
  "description": "",
  "purpose": "",
  "user_intent": "",
  "tags": [
    "a"
  ],
  "created_at": "2026-01-05T09:00:00",
  "updated_at": "2026-01-05T09:00:00",
  "exec_count": 0,
  "triggers": [
    1
  ],
  "steps": [
    {
      "index": 1,
      "id": "${chain.steps[0]!.id}",
      "skill_name": "s",
      "step_name": "审计",
      "action": "x",
      "depends_on": [],
      "notes": "n",
      "timeout_seconds": 5,
      "extra": true
    }
  ]
}
`);
  });
});

describe('a broken file', () => {
  const cases: [string, string, { line: number; column: number; field?: string; reason: string }][] = [
    ['0 bytes', '', { line: 1, column: 1, reason: 'file_empty' }],
    ['only a byte order mark', '\u{feff}', { line: 1, column: 1, reason: 'file_empty' }],
    ['zero bytes after a power cut', '\0'.repeat(64), { line: 1, column: 1, reason: 'file_blank' }],
    ['a file that was cut off', '{\n "steps": [{"action": "x', { line: 2, column: 25, reason: 'file_cut_off' }],
    ['a missing comma', '{\n  "name": "a"\n  "steps": []\n}', { line: 3, column: 3, reason: 'json_comma' }],
    ['a comma too many', '{"steps": [],}', { line: 1, column: 14, reason: 'json_property' }],
    ['a comment', '{\r\n// x\r\n}', { line: 2, column: 1, reason: 'json_comment' }],
    ['two values', '{} {}', { line: 1, column: 4, reason: 'json_more' }],
    ['a list', '[]', { line: 1, column: 1, reason: 'chain_not_object' }],
    ['null', 'null', { line: 1, column: 1, reason: 'chain_not_object' }],
    ['steps that are an object', '{"steps": {}}', { line: 1, column: 11, field: 'steps', reason: 'wrong_type' }],
    [
      'a step that is a text',
      '{"steps": [{}, "x"]}',
      { line: 1, column: 16, field: 'steps[1]', reason: 'step_not_object' },
    ],
    ['a number as a name', '{"name": 5}', { line: 1, column: 10, field: 'name', reason: 'wrong_type' }],
    [
      'a half retry',
      '{"steps": [\n{"retry_policy": {"max_retries": 1.5}}]}',
      { line: 2, column: 34, field: 'steps[0].retry_policy.max_retries', reason: 'wrong_type' },
    ],
    [
      'a negative retry',
      '{"steps": [{"retry_policy": {"max_retries": -1}}]}',
      { line: 1, column: 45, field: 'steps[0].retry_policy.max_retries', reason: 'out_of_range' },
    ],
    [
      'an unknown error class',
      '{"steps": [{"retry_policy": {"error_types": ["timeout", "boom"]}}]}',
      { line: 1, column: 57, field: 'steps[0].retry_policy.error_types[1]', reason: 'wrong_value' },
    ],
    [
      'an unknown on_exhaust',
      '{"steps": [{"failure_mode": {"on_exhaust": "retry"}}]}',
      { line: 1, column: 44, field: 'steps[0].failure_mode.on_exhaust', reason: 'wrong_value' },
    ],
    [
      'a dependency that is a word',
      '{"steps": [{"depends_on": ["build"]}]}',
      { line: 1, column: 28, field: 'steps[0].depends_on[0]', reason: 'dependency_text' },
    ],
    [
      'no time at all',
      '{"steps": [{"timeout_seconds": 0}]}',
      { line: 1, column: 32, field: 'steps[0].timeout_seconds', reason: 'not_above' },
    ],
    ['100,000 levels of lists', '['.repeat(100_000), { line: 1, column: 201, reason: 'file_too_deep' }],
    [
      '100,000 levels, well closed',
      `{"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
      { line: 1, column: 1001, reason: 'file_too_deep' },
    ],
  ];

  it.each(cases)('(%s) is refused with its line, column and field', (_title, text, { reason, ...place }) => {
    const error = expectAppError('CHAIN_FILE_BROKEN', () => parseChainFile(text, 'x.json'));
    expect(error.params['reason']).toBe(reason);
    expect(error.place).toEqual({ file: 'x.json', ...place });
  });

  it('is explained in the language of the reader', () => {
    const error: AppError = expectAppError('CHAIN_FILE_BROKEN', () => parseChainFile('{"tags": "a"}', 'x.json'));
    expect(errorMessage(error.toWire(), 'en')).toBe(
      'x.json:1:10 tags: The chain file can not be read: a list is expected here, but this is a text',
    );
    expect(errorMessage(error.toWire(), 'zh-CN')).toBe(
      'x.json:1:10 tags: 无法读取调用链文件：此处应为列表，但实际是文本',
    );
  });
});

describe('5,000 steps', () => {
  it('are read, edited and written, on many lines and on one', () => {
    const steps = Array.from({ length: 5000 }, (_step, at) => ({
      index: at + 1,
      step_name: 'Same name',
      depends_on: at === 0 ? [] : [at],
    }));
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ name: 'long', steps }, null, indent);
      const { chain } = parseChainFile(text);
      expect(new Set(chain.steps.map((step) => step.id)).size).toBe(5000);
      const next = applyEdit(chain, { kind: 'remove_steps', ids: [idOf(chain, 0)] });
      const again = parseChainFile(serializeChain(next, text)).chain;
      expect(sameJson(again, next)).toBe(true);
    }
  });

  it('or a list of 200,000 items are no trouble: no call is given more arguments than it can have', () => {
    const items = Array.from({ length: 200_000 }, () => 0);
    const text = JSON.stringify({ name: 'wide', items, steps: [{ with: { items } }] });
    const next = applyEdit(parseChainFile(text).chain, { kind: 'update_chain', patch: { description: 'd' } });
    expect(serializeChain(next, text)).toBe(text.replace('"name":"wide",', '"name":"wide","description":"d",'));
  });
});

describe('fields of the kinds', () => {
  const broken: [string, string, string, number][] = [
    ['"when": 5', 'steps[0].when', 'a text is expected here, but this is a number', 21],
    ['"route": {}', 'steps[0].route', 'a list is expected here, but this is an object', 22],
    ['"route": [{"when": "x"}]', 'steps[0].route[0].to', 'a text is expected here', 23],
    [
      '"continue_on_error": 1',
      'steps[0].continue_on_error',
      'true or false is expected here, but this is a number',
      34,
    ],
    ['"iterable": 3', 'steps[0].iterable', 'a list or a text is expected here, but this is a number', 25],
    ['"clarify": {"fields": [{"name": ""}]}', 'steps[0].clarify.fields[0].name', 'a text that is not empty', 45],
    ['"output_contract": {"format": "xml"}', 'steps[0].output_contract.format', 'one of text, json', 43],
    ['"fan_out_template": {"kind": 5}', 'steps[0].fan_out_template.kind', 'a text is expected here', 42],
    ['"fan_out_max_concurrency": 1.5', 'steps[0].fan_out_max_concurrency', 'a whole number', 40],
    ['"skill_exec_args": [[]]', 'steps[0].skill_exec_args[0]', 'a text, a number or true/false is expected', 33],
    ['"tool_args": []', 'steps[0].tool_args', 'an object is expected here, but this is a list', 26],
  ];
  it.each(broken)('of another type are refused with their place: %s', (text, field, detail, column) => {
    const error = expectAppError('CHAIN_FILE_BROKEN', () => parseChainFile(`{"steps": [{${text}}]}`));
    expect(error.place).toEqual({ line: 1, column, field });
    expect(error.params['detail']).toContain(detail);
    expect(error.params['detail:zh-CN']).toMatch(/\p{Script=Han}/u);
  });

  it('that are null count as absent at every level, and stay in the file', () => {
    const text =
      '{"final_text_mode": null, "steps": [{"step_name": "a", "route": [{"when": null, "to": "b"}], "clarify": {"mode": null, "fields": [{"name": "x", "min": null, "y": null}]}, "tool": null}]}';
    const { chain } = parseChainFile(text);
    expect(chain.steps[0]).toMatchObject({ route: [{ to: 'b' }], clarify: { fields: [{ name: 'x', y: null }] } });
    expect(JSON.stringify(chain)).not.toMatch(/"(tool|mode|min|when|final_text_mode)"/);
    expect(serializeChain(chain, text)).toBe(text);
    const patch = { clarify: { prompt: 'Which?', fields: [{ name: 'x', y: null }] } };
    expect(edited(text, { kind: 'update_step', id: 'a', patch })).toBe(
      text.replace('"y": null}]}', '"y": null}], "prompt": "Which?"}'),
    );
  });

  it('stand behind those of skill-sub in a new file', () => {
    const first = { id: 'a', skill_name: '', step_name: 'A', action: '', depends_on: [], when: 'true', kind: 'agent' };
    const written = formatNewChain({ name: 'n', inputs: {}, steps: [first], description: 'd' });
    expect([...written.matchAll(/"(\w+)":/g)].map((match) => match[1])).toEqual([
      ...['name', 'description', 'inputs', 'steps'],
      ...['index', 'id', 'skill_name', 'step_name', 'action', 'depends_on', 'kind', 'when'],
    ]);
  });
});

describe('a step that others name by its id', () => {
  const text = `{
  "name": "n",
  "steps": [
    {"step_name": "Pack"},
    {"step_name": "Choose", "depends_on": [1], "route": [{"when": "outputs.pack == 'x'", "to": "send"}]},
    {"step_name": "Send", "depends_on": [1], "action": "{{ outputs.pack | xml_escape }}", "on_failure": "mend"},
    {"step_name": "Mend", "depends_on": []},
    {"step_name": "Last", "depends_on": [3], "with": {"list": [{"text": "{{ outputs.send }}"}]}}
  ]
}
`;
  const links = (chain: Chain) =>
    chain.steps.map(({ id, depends_on, route, on_failure, action, with: given }) => [
      ...[id, depends_on, route?.[0]?.to, on_failure, action, given],
    ]);

  it('keeps dependencies, routes, stand-ins and templates when it is renamed, over save and load', () => {
    const before = parseChainFile(text).chain;
    const after = edited(
      text,
      ...before.steps.map(
        (step) => ({ kind: 'update_step', id: step.id, patch: { step_name: `New ${step.step_name}` } }) as const,
      ),
    );
    const again = parseChainFile(after).chain;
    expect(again.steps.map((step) => step.step_name)).toEqual(before.steps.map((step) => `New ${step.step_name}`));
    expect(links(again)).toEqual(links(before));
  });

  it('gets its id written with the first edit, so that a rename by hand cuts nothing either', () => {
    const written = edited(text, { kind: 'update_step', id: 'last', patch: { notes: 'x' } });
    const byHand = parseChainFile(written.replace('"Send"', '"Post"').replace('"Pack"', '"Box"')).chain;
    expect(links(byHand)).toEqual(links(parseChainFile(text).chain));
    expect(written).not.toContain('"id": "choose"');
  });

  it('leaves no stand-in and no way behind when it is removed', () => {
    const { chain } = parseChainFile(text);
    const next = applyEdit(chain, { kind: 'remove_steps', ids: ['send', 'mend'] });
    expect(next.steps.find((step) => step.id === 'choose')).not.toHaveProperty('route');
    expect(applyEdit(chain, { kind: 'remove_steps', ids: ['mend'] }).steps[2]).not.toHaveProperty('on_failure');
    expect(applyEdit(chain, { kind: 'remove_steps', ids: ['last'] }).steps[2]).toBe(chain.steps[2]);
  });

  it('is copied with its ways among the copies, and without a stand-in that it would share', () => {
    const { chain } = parseChainFile(text);
    const all = applyEdit(chain, { kind: 'duplicate_steps', ids: ['choose', 'send', 'mend'] });
    const copies = all.steps.filter((step) => step.step_name.endsWith('(2)'));
    expect(copies.map((step) => step.id)).toEqual(['choose_2', 'send_2', 'mend_2']);
    expect(copies[0]!.route).toEqual([{ when: "outputs.pack == 'x'", to: 'send_2' }]);
    expect(copies[1]!.on_failure).toBe('mend_2');
    const one = applyEdit(chain, { kind: 'duplicate_steps', ids: ['send'] });
    expect(one.steps.find((step) => step.id === 'send_2')).not.toHaveProperty('on_failure');
  });

  it('is waited for by those that its route or its failure leads to', () => {
    const { chain } = parseChainFile(text);
    const graph = chainGraph(chain);
    expect(graph.dependsOn('send')).toEqual(['pack', 'choose']);
    expect(graph.dependsOn('mend')).toEqual(['send']);
    expectAppError('CHAIN_CYCLE', () => applyEdit(chain, { kind: 'connect', from: 'send', to: 'choose' }));
    const patch = { route: [{ to: 'pack' }] };
    expectAppError('CHAIN_CYCLE', () => applyEdit(chain, { kind: 'update_step', id: 'last', patch }));
  });
});
