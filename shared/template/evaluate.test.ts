import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMarker, evaluateCondition, renderDeep, renderTemplate } from './evaluate.ts';
import { templateLimits, WorkMeter } from './limits.ts';
import { parseCondition, parseTemplate } from './parse-template.ts';
import { scopeOf } from './scope-of.ts';
import type { TemplateScope, TemplateValue } from './template.ts';

function render(text: string, scope: TemplateScope, meter?: WorkMeter): TemplateValue {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.errors)}`);
  return renderTemplate(parsed.template, scope, meter);
}

function holds(text: string, scope: TemplateScope, meter?: WorkMeter): boolean {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.errors)}`);
  return evaluateCondition(parsed.condition, scope, meter);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.length === Object.keys(value).length && value.every(isJson);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isJson);
}

const scope = scopeOf({
  input: 'the <user> asks',
  inputs: { 文件: 'a.md', count: 3, none: 0, deep: { a: { b: [10, 20] } }, flag: false, blank: ' ', nothing: null },
  outputs: {
    review: {
      text: 'BUG\n',
      json: { label: 'BUG', items: ['x', { name: 'y' }], ok: true, size: 2.5, tags: ['b\n'], 'content-type': 'z' },
    },
    count: ' 5\n',
    ten: '10',
    no: 'No\n',
    zero: '0',
    empty: '',
    list: { text: '["a"]', json: ['a', 'b\n'] },
    prose: 'line one\nNEEDS_REVIEW: yes\n',
  },
  vars: { 项目名: 'studio\n', n: 7 },
  item: { name: 'first', tags: ['t'] },
  index: 0,
});

describe('a template', () => {
  it.each<[string, TemplateValue]>([
    // One expression keeps its type.
    ['{{ inputs.count }}', 3],
    ['{{ inputs.flag }}', false],
    ['{{ inputs.nothing }}', null],
    ['{{ inputs.deep.a }}', { b: [10, 20] }],
    ['{{ inputs.deep.a.b.1 }}', 20],
    ['{{ outputs.review }}', 'BUG\n'],
    ['{{ outputs.review.items }}', ['x', { name: 'y' }]],
    ['{{ outputs.review.items.1.name }}', 'y'],
    ['{{ outputs.review.content-type }}', 'z'],
    ['{{ outputs.list.1 }}', 'b\n'],
    ['{{ vars.项目名 }}', 'studio\n'],
    ['{{ item }}', { name: 'first', tags: ['t'] }],
    ['{{ item.tags.0 }}', 't'],
    ['{{ index }}', 0],
    ['{{ [inputs.count, outputs.gone, "x"] }}', [3, null, 'x']],
    ['{{ outputs.count > 3 }}', true],
    // Nothing is an empty text.
    ['{{ inputs.gone }}', ''],
    ['{{ outputs.gone }}', ''],
    ['{{ outputs.gone.field }}', ''],
    ['{{ outputs.review.gone.field }}', ''],
    ['{{ outputs.count.field }}', ''],
    ['{{ vars.gone }}', ''],
    // In a text everything is text.
    ['<{{ inputs.count }}|{{ inputs.flag }}|{{ inputs.nothing }}|{{ inputs.gone }}>', '<3|false||>'],
    ['{{ outputs.review.items }}!', '["x",{"name":"y"}]!'],
    ['{{ item }}{{ index }}', '{"name":"first","tags":["t"]}0'],
    ['a{{ inputs.文件 }}b', 'aa.mdb'],
    ['{{ "{{" }}x{{ "}}" }}', '{{x}}'],
    // Filters
    ['{{ input | xml_escape }}', 'the &lt;user&gt; asks'],
    ['{{ input | slugify | truncate(8) }}', 'the-u...'],
    ['{{ outputs.review | tojson }}', String.raw`"BUG\n"`],
    ['{{ outputs.list | from_json }}', ['a']],
    ['{{ outputs.prose | from_json }}', ''],
    ['{{ "[1, 2]" | from_json | tojson }}', '[1,2]'],
    ['{{ inputs.gone | truncate(5) }}', ''],
    // `or` takes the other side of what is empty, and of nothing else; `and` as a condition would.
    ['{{ outputs.gone or "none" }}', 'none'],
    ['{{ outputs.empty or inputs.blank or outputs.no }}', 'No\n'],
    ['{{ outputs.zero or "none" }}', '0'],
    ['{{ inputs.none or 4 }}', 4],
    ['{{ inputs.flag or inputs.nothing }}', null],
    ['{{ outputs.gone and "x" }}', ''],
    ['{{ outputs.review and "x" }}', 'x'],
    ['{{ outputs.review == "BUG" and "fix" or "look" }}', 'fix'],
    ['{{ outputs.review == "DOC" and "fix" or "look" }}', 'look'],
    ['{{ not outputs.no }}', true],
    ['{{ not (outputs.no or outputs.review) }}', false],
  ])('%s is %j', (text, value) => {
    expect(render(text, scope)).toEqual(value);
  });

  it('has no item and no index outside of a fan_out', () => {
    expect(render('[{{ item }}{{ item.name }}{{ index }}]', scopeOf({}))).toBe('[]');
  });

  it('gives a copy, in which there is only JSON', () => {
    const inner = { list: [1, undefined, () => 1, Number.NaN, 1n], self: null as unknown, gone: undefined };
    inner.self = inner;
    const value = render('{{ inputs.x }}', scopeOf({ inputs: { x: inner } })) as Record<string, unknown>;
    expect(value).not.toBe(inner);
    expect(value['list']).toEqual([1, null, null, null, null]);
    expect(Object.hasOwn(value, 'gone')).toBe(false);
    expect(() => JSON.stringify(value)).not.toThrow();
  });
});

describe('every text of a value', () => {
  it('is filled in by itself; keys and everything else stay', () => {
    const value = {
      '{{ input }}': ['{{ index }}', 'x{{ index }}', 1, null, true],
      deep: { a: [['{{ item }}']] },
      t: '{ }',
    };
    expect(renderDeep(value, scope)).toEqual({
      '{{ input }}': [0, 'x0', 1, null, true],
      deep: { a: [[{ name: 'first', tags: ['t'] }]] },
      t: '{ }',
    });
    expect(renderDeep('{{ outputs.review }}', scope)).toBe('BUG\n');
    expect(renderDeep(undefined, scope)).toBeNull();
  });

  it('can not break what is around it, whatever the output is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const filled = renderDeep(
          { args: ['--say', '{{ outputs.x }}', 'pre {{ outputs.x }}'] },
          scopeOf({ outputs: { x: text } }),
        );
        expect(filled).toEqual({ args: ['--say', text, `pre ${text}`] });
      }),
    );
  });

  it('is not filled in a second time', () => {
    const inner = scopeOf({
      outputs: { x: '{{ inputs.secret }}' },
      inputs: { secret: 's', y: ['{{ inputs.secret }}'] },
    });
    expect(renderDeep(['{{ outputs.x }}', 'a {{ outputs.x }}', '{{ inputs.y }}'], inner)).toEqual([
      '{{ inputs.secret }}',
      'a {{ inputs.secret }}',
      ['{{ inputs.secret }}'],
    ]);
  });

  it('that can not be read is a bug of whoever let it through', () => {
    expect(() => renderDeep(['{{ nope }}'], scope)).toThrow(/^Bug: /);
    expect(() => renderDeep(['{% if %}'], scope)).toThrow(/^Bug: /);
    expect(renderDeep(['{% no end'], scope)).toEqual(['{% no end']);
  });

  it('is parsed by the function that is given', () => {
    const seen: string[] = [];
    renderDeep({ a: 'plain', b: ['{{ index }}'] }, scope, (text) => {
      seen.push(text);
      return parseTemplate(text);
    });
    expect(seen).toEqual(['{{ index }}']);
  });
});

describe('a condition', () => {
  it.each<[string, boolean]>([
    // Words that mean no, for every kind of value.
    ...['false', 'FALSE', '0', 'no', 'No', 'off', 'null', 'None', 'undefined', '', ' ', '\\n off \\t'].map(
      (word): [string, boolean] => [`'${word}'`, false],
    ),
    ...['true', 'yes', 'nope', '00', '0.0', 'n', 'false alarm', 'nothing'].map((word): [string, boolean] => [
      `'${word}'`,
      true,
    ]),
    ['0', false],
    ['-1', true],
    ['0.0', false],
    ['null', false],
    ['true', true],
    ['[]', false],
    ['[0]', true],
    ['outputs.gone', false],
    ['outputs.no', false],
    ['outputs.zero', false],
    ['outputs.review', true],
    ['outputs.review.ok', true],
    ['inputs.deep', true],
    ['inputs.none', false],
    // Joined
    ['outputs.no or outputs.review', true],
    ['outputs.no or outputs.zero', false],
    ['outputs.review and not outputs.no', true],
    ['not outputs.gone', true],
    ['true or false and false', true],
    ['(true or false) and false', false],
    // Equal
    ["outputs.review == 'BUG'", true],
    ["outputs.review == ' BUG '", true],
    ["outputs.review == 'bug'", false],
    ["outputs.review != 'BUG'", false],
    ["outputs.review | truncate(40) == 'BUG'", true],
    ["vars.项目名 == 'studio'", true],
    ["inputs.文件 == 'a.md'", true],
    ["inputs.文件 == 'a.md '", false],
    ["outputs.gone == ''", true],
    ['outputs.gone == null', true],
    ['outputs.empty == null', true],
    ["outputs.gone != 'X'", true],
    ['outputs.gone == outputs.gone2', true],
    ['outputs.gone == false', false],
    ['outputs.gone == 0', false],
    ['outputs.count == 5', true],
    ["outputs.count == '5'", true],
    ["outputs.count == '5.0'", false],
    ['outputs.review == 5', false],
    ['5.0 == 5', true],
    ["'0x10' == 16", false],
    ["'' == 0", false],
    ['outputs.review.ok == true', true],
    ["'True' == true", true],
    ["'yes' == true", false],
    ['1 == true', false],
    ['outputs.review.size == 2.5', true],
    ['[1, [2]] == [1, [2]]', true],
    ["[1] == ['1']", false],
    ['inputs.deep == inputs.deep', true],
    ['inputs.deep.a == inputs.deep', false],
    // Order
    ['outputs.count > 3', true],
    ['outputs.count >= 5', true],
    ['outputs.count < 5', false],
    ['outputs.count <= 4', false],
    ['outputs.count < outputs.ten', true],
    ["'b' > 'a'", true],
    ["'2026-01-02' < '2026-01-10'", true],
    ['outputs.gone < 1', false],
    ['outputs.gone >= 0', false],
    ['outputs.review > 1', false],
    ['true > 0', false],
    ['[2] > [1]', false],
    ['vars.n > -1e1', true],
    // In
    ["'BUG' in outputs.review", true],
    ["'bug' in outputs.review", false],
    ["outputs.prose contains 'NEEDS_REVIEW: yes'", true],
    ["'one\\nNEEDS' in outputs.prose", true],
    ["' yes' in outputs.prose", true],
    ["'X' not in outputs.prose", true],
    ["outputs.review in ['DOC', 'BUG']", true],
    ["outputs.review not in ['DOC', 'BUG']", false],
    ["['DOC', 'BUG'] contains outputs.review", true],
    ["outputs.review in 'BUG or DOC'", true],
    ["'b' in outputs.list.1", true],
    ["outputs.review.items contains 'x'", true],
    ["'b' in outputs.review.tags", true],
    ["' b' not in outputs.review.tags", false],
    ["'label' in item", false],
    ["'name' in item", true],
    ["item.tags contains 't'", true],
    ['outputs.count in [4, 5]', true],
    ['5 in outputs.count', true],
    ["'' in outputs.review", false],
    ["outputs.gone in 'abc'", false],
    ["'a' in outputs.gone", false],
    ["'a' not in outputs.gone", true],
    ['outputs.gone in [null]', true],
    ['[1] in "[1]"', false],
    ['1 in 123', false],
  ])('%s: %s', (text, expected) => {
    expect(holds(text, scope)).toBe(expected);
    expect(holds(`{{ ${text} }}`, scope)).toBe(expected);
    expect(holds(`not (${text})`, scope)).toBe(!expected);
  });

  it('is as the parts of a row are, however long it is', () => {
    expect(holds(`${'false or '.repeat(1700)}true`, scope)).toBe(true);
    expect(holds(`${'true and '.repeat(1700)}false`, scope)).toBe(false);
    expect(render(`{{ ${'"" or '.repeat(2000)}"x" }}`, scope)).toBe('x');
  });

  it('finds one text in another as the language itself does', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 });
    fc.assert(
      fc.property(
        few,
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 100 }),
        fc.nat(10),
        (text, part, n) => {
          const needle = part.repeat(n + 1);
          const inside = scopeOf({ inputs: { text, needle, whole: text + needle + text } });
          expect(holds('inputs.needle in inputs.text', inside)).toBe(text.includes(needle));
          expect(holds('inputs.needle in inputs.whole', inside)).toBe(true);
        },
      ),
    );
  });

  it('finds a long text behind its own beginning', () => {
    const mostlyA = fc.constantFrom('a', 'a', 'a', 'b');
    fc.assert(
      fc.property(
        fc.string({ unit: mostlyA, minLength: 65, maxLength: 140 }),
        fc.nat(139),
        fc.nat(139),
        (needle, one, two) => {
          const begun = needle.slice(0, one) + needle.slice(0, two);
          const inside = scopeOf({ inputs: { needle, begun, whole: begun + needle } });
          expect(holds('inputs.needle in inputs.whole', inside)).toBe(true);
          expect(holds('inputs.needle in inputs.begun', inside)).toBe(begun.includes(needle));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('== is symmetric, and != is its opposite', () => {
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('', ' ', '5', '5 ', 5, 'true', true, null, undefined, [], {}),
    );
    fc.assert(
      fc.property(values, values, (a, b) => {
        const inside = scopeOf({ inputs: { a, b } });
        const equal = holds('inputs.a == inputs.b', inside);
        expect(holds('inputs.b == inputs.a', inside)).toBe(equal);
        expect(holds('inputs.a != inputs.b', inside)).toBe(!equal);
        expect(holds('inputs.a < inputs.b', inside)).toBe(holds('inputs.b > inputs.a', inside));
        if (a !== undefined && equal) expect(holds('inputs.a < inputs.b', inside)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('growth', () => {
  const { rendered } = templateLimits;

  it('of a text ends at the limit, and the end is marked', () => {
    const big = scopeOf({ input: 'x'.repeat(rendered / 4) });
    const text = render('{{ input }}-'.repeat(5), big) as string;
    expect(text.length).toBe(rendered + cutMarker.length);
    expect(text.endsWith(`x${cutMarker}`)).toBe(true);
    expect(render('{{ input }}-'.repeat(3), big)).not.toContain(cutMarker);
    const whole = render('{{ input }}', scopeOf({ input: 'x'.repeat(rendered + 1) })) as string;
    expect(whole.length).toBe(rendered + cutMarker.length);
  });

  it('of a text by filters ends there too', () => {
    const quotes = scopeOf({ input: '"'.repeat(rendered / 5) });
    const text = render('{{ input | xml_escape }}!', quotes) as string;
    expect(text.length).toBe(rendered + cutMarker.length);
  });

  it.each<[string, string]>([
    ['filters', '{{ input | xml_escape | tojson | xml_escape | slugify | truncate(5) }}'.repeat(500)],
    ['a search', '{{ input contains "y" }}'.repeat(5000)],
    ['a comparison', '{{ inputs.list == inputs.list2 }}'.repeat(5000)],
    ['membership', '{{ "y" in inputs.list }}'.repeat(5000)],
    ['JSON', '{{ inputs.list }}'.repeat(5000)],
  ])('of the work ends at the limit: %s', (_name, text) => {
    const list = Array.from({ length: 20_000 }, () => 'x');
    const inside = scopeOf({ input: 'x'.repeat(100_000), inputs: { list, list2: [...list] } });
    const meter = new WorkMeter(2_000_000);
    const value = render(text, inside, meter);
    expect(value).toContain(cutMarker);
    // The last thing that was begun is counted whole and not done.
    expect(meter.steps).toBeLessThan(2 * meter.limit);
  });

  it('of JSON ends there too', () => {
    const piece = 'x'.repeat(1024 * 1024);
    const object = Object.fromEntries(Array.from({ length: 40 }, (_value, at) => [`k${at}`, piece]));
    for (const inside of [object, Object.values(object)]) {
      const meter = new WorkMeter();
      expect(render('{{ inputs.x | tojson }}', scopeOf({ inputs: { x: inside } }), meter)).toMatch(/^[[{]"/);
      expect(meter.steps).toBeLessThan(2 * (rendered + 2 * piece.length));
    }
  });

  it('of all the texts of a value is the growth of one', () => {
    const inside = scopeOf({ input: 'x'.repeat(1_000_000) });
    const filled = renderDeep(
      Array.from({ length: 400 }, () => 'a{{ input }}'),
      inside,
    ) as string[];
    expect(filled.filter((text) => text.length > 1_000_000).length).toBeLessThanOrEqual(
      templateLimits.work / 1_000_000,
    );
    expect(filled.at(-1)).toBe(cutMarker);
  });
});

describe('evaluation', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  const templates = [
    '{{ inputs.a }}',
    '{{ inputs.a | tojson }} {{ inputs.a | from_json }} {{ inputs.a | slugify }}{{ inputs.a | truncate(3) }}',
    '{{ inputs.a.b.0.length }}{{ outputs.a }}{{ outputs.a.b }}{{ item.x }}{{ item }}',
    '{{ inputs.a or vars.a and not item }}{{ [inputs.a, vars.a] | xml_escape }}',
  ].map((text) => parseTemplate(text));
  const conditions = [
    'inputs.a == vars.a or inputs.a < vars.a',
    'inputs.a in vars.a or inputs.a contains vars.a',
    'item == [inputs.a] or inputs.a',
  ].map((text) => parseCondition(text));

  it('throws for no data, and gives JSON', () => {
    fc.assert(
      fc.property(anything, anything, anything, (a, b, json) => {
        const inside = scopeOf({
          inputs: { a },
          vars: { a: b },
          outputs: { a: { text: String(typeof a), json } },
          item: json,
        });
        for (const parsed of templates) {
          if (!parsed.ok) throw new Error('the templates of this test can be read');
          const value = renderTemplate(parsed.template, inside);
          expect(isJson(value)).toBe(true);
        }
        for (const parsed of conditions) {
          if (!parsed.ok) throw new Error('the conditions of this test can be read');
          expect(typeof evaluateCondition(parsed.condition, inside)).toBe('boolean');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('comes to an end in data that is deep or holds itself', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
    const loop: unknown[] = [];
    loop.push(loop);
    const inside = scopeOf({ inputs: { deep, loop, again: [loop] }, item: deep });
    expect(render('{{ inputs.deep }}', inside)).not.toBe('');
    expect(render('{{ inputs.loop | tojson }}', inside)).toContain('[[[');
    expect(typeof holds('inputs.loop == inputs.again', inside)).toBe('boolean');
    expect(typeof holds('inputs.deep == item', inside)).toBe('boolean');
    expect(renderDeep(deep, inside)).toBeDefined();
  });
});
