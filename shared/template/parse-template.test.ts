import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateLimits, WorkMeter } from './limits.ts';
import { parseCondition, parseTemplate } from './parse-template.ts';
import type { Expression } from './template.ts';

/** The tree as text, every operation in parentheses. */
function printed(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return JSON.stringify(expression.value);
    case 'list':
      return `[${expression.items.map(printed).join(' ')}]`;
    case 'name':
      return [expression.root, ...expression.path].join('.');
    case 'not':
      return `(not ${printed(expression.operand)})`;
    case 'binary':
      return `(${printed(expression.left)} ${expression.operator} ${printed(expression.right)})`;
    case 'filter': {
      const argument = expression.argument === null ? '' : ` ${expression.argument}`;
      return `(${printed(expression.operand)}|${expression.name}${argument})`;
    }
  }
}

function read(condition: string): string {
  const parsed = parseCondition(condition);
  return parsed.ok ? printed(parsed.condition.expression) : parsed.errors.map((error) => error.code).join(' ');
}

function errorsOf(text: string): string[] {
  const parsed = parseTemplate(text);
  return parsed.ok ? [] : parsed.errors.map(({ code, offset }) => `${code}@${offset}`);
}

function errorsOfCondition(text: string): string[] {
  const parsed = parseCondition(text);
  return parsed.ok ? [] : parsed.errors.map(({ code, offset }) => `${code}@${offset}`);
}

describe('an expression', () => {
  it.each([
    ['input or index and item', '(input or (index and item))'],
    ['input and index or item', '((input and index) or item)'],
    ['not input and index', '((not input) and index)'],
    ['not input == index', '(not (input == index))'],
    ['not not input', '(not (not input))'],
    ['not (input or index)', '(not (input or index))'],
    ['input or index or item', '((input or index) or item)'],
    ['not 1 in [2]', '(not (1 in [2]))'],
    ['1 not in [2]', '(1 not in [2])'],
    ['1 not  \n in [2]', '(1 not in [2])'],
    ['input contains "a"', '(input contains "a")'],
    ['input | truncate(5) | tojson == "x"', '(((input|truncate 5)|tojson) == "x")'],
    ['"a" in outputs.x | slugify', '("a" in (outputs.x|slugify))'],
    ['("a" in outputs.x) | tojson', '(("a" in outputs.x)|tojson)'],
    ['(((input)))', 'input'],
    ['1 <= 2', '(1 <= 2)'],
    ['1<2', '(1 < 2)'],
    ['1>=2', '(1 >= 2)'],
    ['1!=2', '(1 != 2)'],
    ['(1 == 2) == true', '((1 == 2) == true)'],
    ['[1, "b", [null], ]', '[1 "b" [null]]'],
    ['[]', '[]'],
    ['[true, False, None, none]', '[true false null null]'],
  ])('%s is %s', (text, tree) => {
    expect(read(text)).toBe(tree);
  });

  it.each([
    ['outputs.step-1.field', 'outputs.step-1.field'],
    ['outputs.a_b-c9', 'outputs.a_b-c9'],
    ['vars.项目名', 'vars.项目名'],
    ['inputs.文件.大小', 'inputs.文件.大小'],
    ['inputs.naïve', 'inputs.naïve'],
    ['inputs.हिन्दी', 'inputs.हिन्दी'],
    ['outputs.a.items.0.name', 'outputs.a.items.0.name'],
    ['outputs.in.not', 'outputs.in.not'],
    ['vars.true.input', 'vars.true.input'],
    ['item.name', 'item.name'],
    ['inputs._private', 'inputs._private'],
  ])('%s is one name', (text, tree) => {
    expect(read(text)).toBe(tree);
  });

  it.each<[string, unknown]>([
    ['"it\'s"', "it's"],
    ['\'say "x"\'', 'say "x"'],
    [String.raw`'a\'b\\c\"d\/e'`, 'a\'b\\c"d/e'],
    [String.raw`'\n\r\t\b\f'`, '\n\r\t\b\f'],
    [String.raw`'\u4e2d\u6587'`, '中文'],
    [String.raw`'\ud83d\ude00'`, '😀'],
    ["'two\nlines'", 'two\nlines'],
    ["'}} {{ {% #}'", '}} {{ {% #}'],
    ['""', ''],
    ['0', 0],
    ['-7', -7],
    ['3.25', 3.25],
    ['1e3', 1000],
    ['-1.5E-2', -0.015],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is the literal itself', (text, value) => {
    const parsed = parseCondition(text);
    expect(parsed).toEqual({
      ok: true,
      condition: { source: text, expression: { kind: 'literal', value } },
    });
  });

  it('knows where its names stand', () => {
    const parsed = parseTemplate('ab {{ outputs.x or\n vars.y }}');
    expect(parsed).toMatchObject({
      ok: true,
      template: { parts: ['ab ', { left: { root: 'outputs', offset: 6 }, right: { root: 'vars', offset: 20 } }] },
    });
  });
});

describe('a text', () => {
  it.each<[string, (string | 'expression')[]]>([
    ['', []],
    ['plain', ['plain']],
    ['{{ input }}', ['expression']],
    [' {{ input }}', [' ', 'expression']],
    ['{{ input }}\n', ['expression', '\n']],
    ['a{{input}}b{{ index }}', ['a', 'expression', 'b', 'expression']],
    ['{"a": {{ input | tojson }}}', ['{"a": ', 'expression', '}']],
    ['{{ "}}" }}', ['expression']],
    ['{ a } }} { {', ['{ a } }} { {']],
    ['}}', ['}}']],
    // What other programs write is no statement and no comment.
    ['n=$' + '{#list[@]}; a=$' + '{b#}', ['n=$' + '{#list[@]}; a=$' + '{b#}']],
    ['\\newcommand{\\x}{%\n  y}', ['\\newcommand{\\x}{%\n  y}']],
    ['{# not closed', ['{# not closed']],
    ['date +{%Y', ['date +{%Y']],
  ])('%j has its parts', (text, parts) => {
    const parsed = parseTemplate(text);
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    expect(parsed.template.parts.map((part) => (typeof part === 'string' ? part : 'expression'))).toEqual(parts);
    expect(parsed.template.source).toBe(text);
    expect(parsed.template.isSingle).toBe(parts.length === 1 && parts[0] === 'expression');
  });

  it.each<[string, string[]]>([
    ['{{ }}', ['unexpected@3']],
    ['{{}}', ['unexpected@2']],
    ['{{ input', ['unclosed_expression@0']],
    ['a {{ this is no template', ['unclosed_expression@2']],
    ['{{ input {{ index }}', ['unclosed_expression@0']],
    ['{{ input index }}', ['unexpected@9']],
    ['{{ 1 2 {{ nope }}', ['unexpected@5', 'unknown_root@10']],
    ['{{ input.name }}', ['unexpected@8']],
    ['{{ inputs }}', ['unexpected@10']],
    ['{{ inputs | tojson }}', ['unexpected@10']],
    ['{{ outputs. x }}', ['unexpected@11']],
    ['{{ outputs.-x }}', ['unexpected@11']],
    ["{{ 'abc }}", ['unclosed_string@3']],
    ['{{ "abc }} and {{ input }}', ['unclosed_string@3']],
    [String.raw`{{ 'C:\new \Users' }}`, ['unexpected@11']],
    [String.raw`{{ '\x41' }}`, ['unexpected@4']],
    [String.raw`{{ '\u12' }}`, ['unexpected@4']],
    ['{{ input | lower }}', ['unknown_filter@11']],
    ['{{ input | default("a") | xml_escape | upper }}', ['unknown_filter@11', 'unknown_filter@39']],
    ['{{ input | }}', ['unexpected@11']],
    ['{{ input | 5 }}', ['unexpected@11']],
    ['{{ input | truncate("5") }}', ['filter_arguments@20']],
    ['{{ input | truncate(1.5) }}', ['filter_arguments@20']],
    ['{{ input | truncate(5, 6) }}', ['filter_arguments@21']],
    ['{{ input | truncate(index) }}', ['filter_arguments@20']],
    ['{{ input | tojson(2) }}', ['filter_arguments@18']],
    ['{{ input | truncate(5 }}', ['unexpected@22']],
    ['{{ input | truncate }}{{ input | truncate() }}{{ input | truncate(-5) }}', []],
    ['{{ nope }}', ['unknown_root@3']],
    ['{{ your name here }}', ['unknown_root@3']],
    ['{{ YOUR_TOKEN }} {{USER}}', ['unknown_root@3', 'unknown_root@19']],
    ['{{ nope == gone }}', ['unknown_root@3', 'unknown_root@11']],
    ['{{ nope.x["y"](1).z | lower }}', ['unknown_root@3', 'unknown_filter@22']],
    ['{{ {"a": {"b": 1}} }}', ['unexpected@3']],
    ['{{ 1 == 2 == 3 }}', ['unexpected@10']],
    ['{{ 1 < 2 not in [3] }}', ['unexpected@9']],
    ['{{ 1 == not 2 }}', ['unexpected@8']],
    ['{{ 1 not 2 }}', ['unexpected@5']],
    ['{{ (1 }}', ['unexpected@6']],
    ['{{ [1 2] }}', ['unexpected@6']],
    ['{{ [1, }}', ['unexpected@7']],
    ['{{ 1) }}', ['unexpected@4']],
    ['{{ and }}', ['unexpected@3']],
    ['{{ 1 + 2 }}', ['unexpected@5']],
    ['{{ 5 -3 }}', ['unexpected@5']],
    ['{{- input -}}', ['unexpected@2']],
    ['{{ 01 }}', ['number_invalid@3']],
    ['{{ 1.2.3 }}', ['number_invalid@3']],
    ['{{ 12ab }}', ['number_invalid@3']],
    ['{{ 5. }}', ['number_invalid@3']],
    ['{% if input %}a{% endif %}', ['no_statements@0', 'no_statements@15']],
    ['a {# b #} {{ nope }}', ['no_statements@2', 'unknown_root@13']],
    ['{{ {% x %} }}', ['no_statements@3']],
    // One error for each expression, and none for what only follows from it.
    [
      '{{ a b }}{{ "x }}{{ outputs.y( }}{{ z',
      ['unknown_root@3', 'unclosed_string@12', 'not_allowed@29', 'unclosed_expression@33'],
    ],
    ["{{ it's }} and {{ nope }} isn't", ['unknown_root@3', 'unexpected@5', 'unknown_root@18']],
  ])('%j is refused at each fault', (text, errors) => {
    expect(errorsOf(text)).toEqual(errors);
  });

  it('says line and column, for each kind of line end', () => {
    const parsed = parseTemplate('一\n{{ a }}\r\n  {{ b }}\r{{ c }}{{\n d }}');
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.errors.map(({ line, column }) => [line, column])).toEqual([
      [2, 4],
      [3, 6],
      [4, 4],
      [5, 2],
    ]);
  });

  it.each([
    ['{{ input = 1 }}', '=', '=='],
    ['{{ input === 1 }}', '===', '=='],
    ['{{ input !== 1 }}', '!==', '!='],
    ['{{ input && 1 }}', '&&', 'and'],
    ['{{ input || 1 }}', '||', 'or'],
    ['{{ !input }}', '!', 'not'],
    ['{{ “input” }}', '“', '"'],
    ['{{ （input） }}', '（', '('],
    ['{{ input ｜ tojson }}', '｜', '|'],
    ['{{ input @ 1 }}', '@', 'operator'],
    ['{{ 😀 }}', '😀', 'value'],
  ])('%s is told what to write', (text, found, expected) => {
    expect(parseTemplate(text)).toMatchObject({
      ok: false,
      errors: [{ code: 'unexpected', params: { found, expected } }],
    });
  });

  it.each([
    ['{{ input | trunc }}', 'truncate'],
    ['{{ input | to_json }}', 'tojson'],
    ['{{ input | XML_ESCAPE }}', 'xml_escape'],
    ['{{ input | fromjson }}', 'from_json'],
    ['{{ input | reverse }}', ''],
    ['{{ output.x }}', 'outputs'],
    ['{{ Inputs.x }}', 'inputs'],
    ['{{ var.x }}', 'vars'],
    ['{{ ｉｎｐｕｔ }}', 'input'],
    ['{{ loop }}', ''],
  ])('%s is told the nearest name: %j', (text, close) => {
    expect(parseTemplate(text)).toMatchObject({ ok: false, errors: [{ params: { close } }] });
  });
});

describe('a condition', () => {
  it.each([
    ["outputs.a == 'BUG'", "{{ outputs.a == 'BUG' }}"],
    ["outputs.a == 'BUG'", " \n{{outputs.a == 'BUG'}} "],
  ])('%s may be wrapped: %j', (bare, wrapped) => {
    expect(read(wrapped)).toBe(read(bare));
  });

  it.each<[string, string[]]>([
    ['', ['unexpected@0']],
    [' \n', ['unexpected@2']],
    ['{{ }}', ['unexpected@3']],
    ['{{ input }} and {{ index }}', ['unexpected@12']],
    ['input }}', ['unexpected@6']],
    ['input and {{ index }}', ['unexpected@10']],
    ['{{ input', ['unclosed_expression@0']],
    ['input ==', ['unexpected@8']],
    ['only when the build is green', ['unknown_root@0']],
    ['构建通过时', ['unknown_root@0']],
    ["nope == 'x' or gone | lower", ['unknown_root@0', 'unknown_root@15', 'unknown_filter@22']],
    ['{% if input %}', ['no_statements@0']],
  ])('%j is refused', (text, errors) => {
    expect(errorsOfCondition(text)).toEqual(errors);
  });
});

describe('limits', () => {
  const { depth, expression, template } = templateLimits;

  it('plain text has none', () => {
    expect(parseTemplate('x'.repeat(template + 1)).ok).toBe(true);
  });

  it('a template has one, at which the error stands', () => {
    expect(errorsOf(`${'x'.repeat(template - 11)}{{ input }}`)).toEqual([]);
    expect(errorsOf(`${'x'.repeat(template - 10)}{{ input }}`)).toEqual([`too_long@${template}`]);
  });

  it('an expression and a condition have one', () => {
    expect(errorsOf(`{{ "${'x'.repeat(expression - 5)}" }}`)).toEqual([]);
    expect(errorsOf(`{{ "${'x'.repeat(expression)}" }} {{ nope }}`)).toEqual([
      `too_long@${expression + 2}`,
      `unknown_root@${expression + 12}`,
    ]);
    // A missing quote is seen as such where the expression could have ended.
    expect(errorsOf(`{{ "abc }} ${'x'.repeat(expression)}{{ nope }}`)).toEqual([
      'unclosed_string@3',
      `unknown_root@${expression + 14}`,
    ]);
    expect(errorsOf(`{{ ${'1 or '.repeat(expression / 4)} 1 }}`)).toEqual([`too_long@${expression + 2}`]);
    expect(errorsOfCondition(`"${'x'.repeat(expression - 2)}"`)).toEqual([]);
    expect(errorsOfCondition(`"${'x'.repeat(expression - 1)}"`)).toEqual([`too_long@${expression}`]);
  });

  it.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['lists', (n: number) => `${'['.repeat(n)}1${']'.repeat(n)}`],
    ['not', (n: number) => `${'not '.repeat(n)}1`],
    ['filters', (n: number) => `1${'|tojson'.repeat(n)}`],
    ['all together', (n: number) => `${'not [('.repeat(n / 3)}1${'|tojson)]'.repeat(n / 3)}`],
  ])('%s are counted', (_name, nested) => {
    expect(errorsOfCondition(nested(depth))).toEqual([]);
    const [error, ...others] = errorsOfCondition(nested(depth + 4));
    expect(error).toMatch(/^too_deep@/);
    expect(others).toEqual([]);
  });

  it('a long row is not deep', () => {
    expect(errorsOfCondition(`1${' or 1'.repeat(3000)}`)).toEqual([]);
    expect(errorsOfCondition(`1${' and 1'.repeat(2500)}`)).toEqual([]);
    expect(errorsOfCondition(`item${'.a'.repeat(8000)}`)).toEqual([]);
  });
});

describe('every text', () => {
  const pieces = [
    ...['{{', '}}', '{', '}', '{%', '%}', '{#', '#}', '(', ')', '[', ']', ',', '.', '|', '==', '=', '!', '<'],
    ...[
      '"',
      "'",
      '\\',
      '\\u',
      '-',
      '1',
      '1e9',
      ' ',
      '\n',
      '中',
      '😀',
      '\ud83d',
      'and ',
      'or ',
      'not ',
      ' in ',
      'contains ',
    ],
    ...['input', 'inputs', '.x', 'outputs.a-b', 'vars.项', 'item', 'true', 'tojson', 'truncate(4)', '__proto__', 'x'],
  ];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((list) => list.join(''));

  it('is read or refused, with errors that stand in it, in order', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        for (const parsed of [parseTemplate(text), parseCondition(text)]) {
          if (parsed.ok) continue;
          expect(parsed.errors.length).toBeGreaterThan(0);
          let before = 0;
          for (const { offset, line, column } of parsed.errors) {
            expect(offset).toBeGreaterThanOrEqual(before);
            expect(offset).toBeLessThanOrEqual(text.length);
            const lines = text.slice(0, offset).split(/\r\n|\n|\r(?!\n)/);
            expect([line, column]).toEqual([lines.length, lines.at(-1)!.length + 1]);
            before = offset;
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('without a brace is itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('{'));
        expect(parseTemplate(text)).toMatchObject({ ok: true, template: { parts: text === '' ? [] : [text] } });
      }),
    );
  });

  it('means the same with every part of it in parentheses', () => {
    const leaf = fc.constantFrom<string>(
      'input',
      'outputs.a-1.b',
      'vars.项',
      'index',
      '"x"',
      '-1.5',
      'true',
      '[1, item]',
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc
          .tuple(tie('tree'), fc.constantFrom('and', 'or', '==', '<', 'in', 'not in', 'contains'), tie('tree'))
          .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
        tie('tree').map((operand) => `(not ${operand})`),
        fc
          .tuple(tie('tree'), fc.constantFrom('tojson', 'truncate(7)'))
          .map(([operand, name]) => `(${operand}|${name})`),
      ),
    }));
    const bare = (text: string) => text.replaceAll(/ (-?[\d.]+)\)$/g, ' $1)');
    fc.assert(
      fc.property(tree, (text) => {
        const once = read(text);
        // What `printed` writes can be read again, but for the commas of lists and the parentheses of an argument.
        const again = read(bare(once).replaceAll('[1 item]', '[1, item]').replaceAll('truncate 7', 'truncate(7)'));
        expect(again).toBe(once);
      }),
    );
  });

  it.each<[string, (n: number) => string]>([
    ['expressions', (n) => '{{ input }}'.repeat(n)],
    ['unclosed expressions', (n) => '{{ input '.repeat(n)],
    ['opening braces', (n) => '{'.repeat(n)],
    ['opening braces and one closing', (n) => `${'{{'.repeat(n)}}}`],
    ['statements that are not closed', (n) => '{% '.repeat(n)],
    ['comments that are not closed', (n) => '{#'.repeat(n)],
    ['statements', (n) => '{%%}'.repeat(n)],
    ['a statement end before statements', (n) => `%}${'{%'.repeat(n)}`],
    ['quotes', (n) => '{{ " }}'.repeat(n)],
    ['both quotes', (n) => `{{ " }}{{ ' }}`.repeat(n)],
    ['escaped quotes', (n) => String.raw`{{ \" }}{{ "\" }}`.repeat(n)],
    ['one quote and escaped ones', (n) => `{{ " }}${String.raw`{{ '\" }}`.repeat(n)}`],
    ['a text where none can be', (n) => '{{ 1 "}}'.repeat(n)],
    ['calls that are not closed', (n) => '{{ f( }}'.repeat(n)],
    ['brackets that are not closed', (n) => '{{ f([({ '.repeat(n)],
    ['not', (n) => '{{ not not '.repeat(n)],
    ['not in', (n) => '{{ 1 not in '.repeat(n)],
    ['members', (n) => '{{ item.a.b.c. }}'.repeat(n)],
    ['one long name', (n) => `{{ ${'a'.repeat(n)} }}`],
    ['one long number', (n) => `{{ ${'9'.repeat(n)} }}`],
    ['one long member', (n) => `{{ item.${'a'.repeat(n)} }}`],
    ['errors on many lines', (n) => '{{ nope }}\n'.repeat(n)],
  ])('costs work in proportion to its length: %s', (_name, make) => {
    const cost = (n: number): number => {
      const text = make(n);
      const meter = new WorkMeter();
      parseTemplate(text, meter);
      // Each character is looked at by the search, by the reader, and by the recovery after an error.
      expect(meter.steps).toBeLessThanOrEqual(6 * text.length + 10);
      return meter.steps;
    };
    expect(cost(4000)).toBeLessThanOrEqual(2.1 * cost(2000) + 100);
  });
});
