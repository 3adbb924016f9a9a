import { describe, expect, it } from 'vitest';
import { cutMarker, evaluateCondition, renderDeep, renderTemplate } from './evaluate.ts';
import { templateLimits, WorkMeter } from './limits.ts';
import { parseCondition, parseTemplate } from './parse-template.ts';
import { scopeOf } from './scope-of.ts';
import type { TemplateErrorCode, TemplateScope, TemplateValue } from './template.ts';

/** Known ways out of template languages (Jinja2, Twig, Nunjucks, Handlebars, EJS, Angular, Liquid, OGNL) as expressions. */
const refused: readonly (readonly [string, TemplateErrorCode])[] = [
  // The prototype chain of JavaScript
  ['input.constructor', 'unexpected'],
  ['item.constructor', 'not_allowed'],
  ['item.constructor.constructor', 'not_allowed'],
  ['item.constructor.constructor("return process")()', 'not_allowed'],
  ['outputs.a.constructor', 'not_allowed'],
  ['inputs.constructor.prototype', 'not_allowed'],
  ['inputs.__proto__', 'not_allowed'],
  ['outputs.__proto__.polluted', 'not_allowed'],
  ['vars.x.__proto__.toString', 'not_allowed'],
  ['item.prototype', 'not_allowed'],
  ['item.__defineGetter__', 'not_allowed'],
  ['item.__lookupSetter__', 'not_allowed'],
  ['__proto__', 'not_allowed'],
  ['constructor', 'not_allowed'],
  ['"".constructor', 'not_allowed'],
  ['(1).constructor', 'not_allowed'],
  ['[].constructor', 'not_allowed'],
  ['true.constructor', 'not_allowed'],
  ['1.constructor', 'number_invalid'],
  ['(item | from_json).constructor', 'not_allowed'],
  // Computed members
  ['item["constructor"]', 'not_allowed'],
  ["inputs['__proto__']", 'not_allowed'],
  ['item["con" + "structor"]', 'not_allowed'],
  ['outputs.a[vars.key]', 'not_allowed'],
  ['item[0]', 'not_allowed'],
  ['[input][0]', 'not_allowed'],
  ['"abc"[0]', 'not_allowed'],
  ['(input)[index]', 'not_allowed'],
  ['item?.constructor', 'unexpected'],
  ['item::constructor', 'unexpected'],
  // Calls
  ['range(1000000000)', 'not_allowed'],
  ['dict(a=1)', 'not_allowed'],
  ['lipsum(n=100)', 'not_allowed'],
  ['cycler("a").next()', 'not_allowed'],
  ['joiner()', 'not_allowed'],
  ['namespace(x=1)', 'not_allowed'],
  ['url_for("x")', 'not_allowed'],
  ['get_flashed_messages()', 'not_allowed'],
  ['require("child_process")', 'not_allowed'],
  ['eval("1")', 'not_allowed'],
  ['Function("return this")()', 'not_allowed'],
  ['import("fs")', 'not_allowed'],
  ['input.toString()', 'unexpected'],
  ['item.toString()', 'not_allowed'],
  ['inputs.get("a", {})', 'not_allowed'],
  ['"a".repeat(1000000000)', 'not_allowed'],
  ['"%s" % input', 'unexpected'],
  ['"{0.__class__}".format(item)', 'not_allowed'],
  ['"a".join([1])', 'not_allowed'],
  ['(input)("x")', 'not_allowed'],
  ['input("x")', 'not_allowed'],
  ['outputs.a.map(x => x)', 'not_allowed'],
  ['not(input)("x")', 'not_allowed'],
  // What Python and Jinja hide
  ['"".__class__.__mro__[1].__subclasses__()', 'not_allowed'],
  ['item.__class__', 'not_allowed'],
  ['item.__class__.__base__.__subclasses__', 'not_allowed'],
  ['item.x.__init__.__globals__.os', 'not_allowed'],
  ['item.__dict__', 'not_allowed'],
  ['item.____', 'not_allowed'],
  ['self.__init__', 'unknown_root'],
  ['request.application.__globals__', 'unknown_root'],
  ['config.items', 'unknown_root'],
  ['lipsum.__globals__', 'unknown_root'],
  ['cycler.__init__', 'unknown_root'],
  ['g.pop', 'unknown_root'],
  ['input | attr("__class__")', 'unknown_filter'],
  ['input | map("upper")', 'unknown_filter'],
  ['input | format(input)', 'unknown_filter'],
  ['input | safe', 'unknown_filter'],
  ['input | pprint', 'unknown_filter'],
  ['input | constructor', 'unknown_filter'],
  ['input | __proto__', 'unknown_filter'],
  ['input | toString', 'unknown_filter'],
  ['["id"] | filter("system")', 'unknown_filter'],
  ['input | truncate(input)', 'filter_arguments'],
  ['input | truncate(9e999)', 'number_invalid'],
  ['input | tojson(indent=99999)', 'filter_arguments'],
  // What a program has around it
  ['process.env.PATH', 'unknown_root'],
  ['globalThis', 'unknown_root'],
  ['global.process', 'unknown_root'],
  ['window.location', 'unknown_root'],
  ['this', 'unknown_root'],
  ['this.constructor', 'unknown_root'],
  ['arguments', 'unknown_root'],
  ['new Date', 'unknown_root'],
  ['Object.keys', 'unknown_root'],
  ['settings.keys', 'unknown_root'],
  ['loop.index', 'unknown_root'],
  ['scope', 'unknown_root'],
  ['T(java.lang.Runtime)', 'not_allowed'],
  ['#root', 'unexpected'],
  ['@java.lang.Runtime@getRuntime', 'unexpected'],
  ['$input', 'unexpected'],
  ['`id`', 'unexpected'],
  // Names in other clothes
  [String.raw`item.\u0063onstructor`, 'unexpected'],
  [String.raw`item.constr\u0075ctor`, 'unexpected'],
  [String.raw`\u0069nput`, 'unexpected'],
  ['item.ｃｏｎｓｔｒｕｃｔｏｒ', 'not_allowed'],
  ['item.＿＿proto＿＿', 'unexpected'],
  ['item.𝐜𝐨𝐧𝐬𝐭𝐫𝐮𝐜𝐭𝐨𝐫', 'not_allowed'],
  ['item.ⓟrototype', 'unexpected'],
  ['item.__pro\u200bto__', 'unexpected'],
  ['item.\u202econstructor', 'unexpected'],
  ['ｉｎｐｕｔ', 'unknown_root'],
  ['іnput', 'unknown_root'], // the first letter is Cyrillic
  ['input\u0000', 'unexpected'],
  // Another language inside
  ['{% import os %}', 'no_statements'],
  ['{# comment #}', 'no_statements'],
  ['input {{ input }}', 'unclosed_expression'],
  ['{"a": 1}', 'unexpected'],
  ['x = 1', 'unknown_root'],
  ['input = 1', 'unexpected'],
  ['input; index', 'unexpected'],
  ['input if index else item', 'unexpected'],
  ['input ? index : item', 'unexpected'],
  ['[x for x in item]', 'unknown_root'],
  ['() => input', 'unexpected'],
  ['input ~ input', 'unexpected'],
  ['input * 1000000', 'unexpected'],
  ['"a" * 1000000000', 'unexpected'],
  ['2 ** 9999999', 'unexpected'],
  ['...item', 'unexpected'],
  ['input // comment', 'unexpected'],
  ['input <!-- comment', 'unexpected'],
  // Numbers that are no numbers any more
  ['1e999', 'number_invalid'],
  ['-1e999', 'number_invalid'],
  ['9007199254740993', 'number_invalid'],
  ['9'.repeat(5000), 'number_invalid'],
  ['0x7fffffff', 'number_invalid'],
  ['1_000', 'number_invalid'],
  ['1n', 'number_invalid'],
  ['١٢', 'unexpected'],
  // Too much
  ['('.repeat(10_000), 'too_deep'],
  ['['.repeat(10_000), 'too_deep'],
  [`${'not '.repeat(4000)}input`, 'too_deep'],
  [`input${' | tojson'.repeat(1500)}`, 'too_deep'],
  [`${'(not ['.repeat(2000)}input`, 'too_deep'],
  ['"a" or '.repeat(10_000), 'too_long'],
];

describe('a way out is refused when it is read', () => {
  it.each(refused.map(([text, code]) => [text.slice(0, 60), code, text] as const))('%s (%s)', (_shown, code, text) => {
    const template = parseTemplate(`before {{ ${text} }} after`);
    expect(template.ok).toBe(false);
    if (!template.ok) expect(template.errors.map((error) => error.code)).toContain(code);
    expect(parseCondition(text).ok).toBe(false);
    expect(parseCondition(`{{ ${text} }}`).ok).toBe(false);
    expect(() => renderDeep(`{{ ${text} }}`, scopeOf({}))).toThrow(/^Bug: /);
  });

  it('also at each other place of an expression', () => {
    // What ends a text, a bracket or the expression itself means something else inside of another one.
    for (const [text] of refused.filter(([, code]) => code === 'not_allowed' || code === 'unknown_filter')) {
      for (const around of [
        '(%)',
        '[%]',
        '[1, %]',
        'not (%)',
        'input == (%)',
        '(%) in item',
        'true or (%)',
        '(%) | tojson',
      ]) {
        expect(parseCondition(around.replace('%', () => text)).ok).toBe(false);
      }
    }
  });

  it.each([
    '{% for x in range(1000000000) %}{% endfor %}',
    '{%- set x = input -%}',
    '{% include "/etc/passwd" %}',
    '{% raw %}{{ input }}{% endraw %}',
    '{# hidden #}',
    '{{ input }}{% if true %}{% endif %}',
    '{{{ input }}}',
    '{{{{ input }}}}',
    '{{ {{ input }} }}',
    '{{ "{{" + input }}',
    '{{- input -}}',
    '{{= input }}',
    '{{& input }}',
    '{{> partial }}',
    '{{#each item}}{{/each}}',
    '{{! comment }}',
    '{{!-- comment --}}',
    '{{ input',
    '{{ "input }}',
  ])('in a text: %s', (text) => {
    expect(parseTemplate(text).ok).toBe(false);
  });

  it.each([
    '$' + '{input}',
    '#{input}',
    '<%= input %>',
    '%{input}',
    '[[$' + '{input}]]',
    '*{input}',
    '@(input)',
    '{input}',
    '<#assign x=1>',
  ])('or is plain text: %s', (text) => {
    expect(render(text, scopeOf({ input: 'secret' }))).toBe(text);
  });
});

function render(text: string, scope: TemplateScope, meter?: WorkMeter): TemplateValue {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(`${text.slice(0, 60)}: ${JSON.stringify(parsed.errors)}`);
  return renderTemplate(parsed.template, scope, meter);
}

function holds(text: string, scope: TemplateScope, meter?: WorkMeter): boolean {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${text.slice(0, 60)}: ${JSON.stringify(parsed.errors)}`);
  return evaluateCondition(parsed.condition, scope, meter);
}

describe('data can do no harm', () => {
  const inherited = [
    ...['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString', 'propertyIsEnumerable'],
    ...[
      'length',
      'map',
      'push',
      'at',
      'concat',
      'join',
      'name',
      'call',
      'apply',
      'bind',
      'then',
      'toJSON',
      'size',
      'repeat',
    ],
    ...['__proto', 'proto__', '_constructor', 'Constructor', 'ϲonstructor'],
  ];

  it.each(inherited)('there is no inherited member %s', (name) => {
    const values = {
      text: 'x',
      number: 1,
      flag: true,
      list: [1, 2],
      object: { a: 1 },
      made: new (class Made {})(),
      f: () => 1,
    };
    for (const [key, value] of Object.entries(values)) {
      const scope = scopeOf({ inputs: { [key]: value }, item: value, outputs: { a: { text: 't', json: value } } });
      expect(render(`[{{ inputs.${key}.${name} }}{{ item.${name} }}{{ outputs.a.${name} }}]`, scope)).toBe('[]');
      expect(render(`{{ inputs.${key}.${name} }}`, scope)).toBe('');
      expect(holds(`inputs.${key}.${name} or '${name}' in inputs.f`, scope)).toBe(false);
    }
    expect(render(`[{{ inputs.${name} }}{{ outputs.${name} }}{{ vars.${name} }}]`, scopeOf({}))).toBe('[]');
  });

  it('but an own one of such a name is data like any other', () => {
    const scope = scopeOf({
      outputs: { a: { text: '', json: JSON.parse('{"toString": "x", "length": 5, "then": [1]}') } },
    });
    expect(render('{{ outputs.a.toString }}{{ outputs.a.length }}{{ outputs.a.then }}', scope)).toBe('x5[1]');
  });

  it('no getter, setter, proxy trap or conversion of an object is called', () => {
    const calls: string[] = [];
    const hostile = {
      get trap(): never {
        calls.push('get');
        throw new Error('a getter was called');
      },
      toString: () => calls.push('toString'),
      valueOf: () => calls.push('valueOf'),
      toJSON: () => calls.push('toJSON'),
      [Symbol.toPrimitive]: () => calls.push('toPrimitive'),
      [Symbol.iterator]: () => calls.push('iterator'),
      plain: 1,
    };
    const list = Object.assign([1, 2], { toString: hostile.toString, toJSON: hostile.toJSON, map: hostile.toString });
    Object.defineProperty(list, '1', { get: () => calls.push('index'), enumerable: true });
    const scope = scopeOf({ inputs: { hostile, list }, item: hostile });
    expect(render('{{ inputs.hostile.trap }}', scope)).toBe('');
    expect(render('{{ inputs.hostile }}', scope)).toEqual({ toString: null, valueOf: null, toJSON: null, plain: 1 });
    expect(render('{{ inputs.list }} {{ inputs.list.1 }}', scope)).toBe('[1,null] ');
    render('{{ inputs.hostile | slugify }}{{ item | xml_escape }}{{ item | truncate(5) }}{{ [item] | tojson }}', scope);
    for (const operator of ['==', '<', 'in', 'contains', 'and']) {
      holds(`inputs.hostile ${operator} item or inputs.hostile ${operator} 'x' or 1 ${operator} item`, scope);
      holds(`inputs.list ${operator} item or inputs.list ${operator} inputs.list`, scope);
    }
    expect(calls).toEqual([]);
  });

  it('a proxy that throws at every touch is nothing', () => {
    const refuse = () => {
      throw new Error('touched');
    };
    const handler = new Proxy({}, { get: () => refuse });
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    const scope = scopeOf({ inputs: { a: new Proxy({}, handler), b: new Proxy([], handler), c: revoked.proxy } });
    for (const name of ['a', 'b', 'c']) {
      for (const text of [
        `{{ inputs.${name}.x }}`,
        `x{{ inputs.${name} }}`,
        `{{ inputs.${name} | tojson }}`,
        `{{ inputs.${name} }}`,
      ]) {
        expect(() => render(text, scope)).not.toThrow();
      }
      expect(() => holds(`inputs.${name} == inputs.b or 1 in inputs.${name} or inputs.${name}`, scope)).not.toThrow();
    }
  });

  it('__proto__ in the JSON of an output changes no prototype and comes out of nothing', () => {
    const text = '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "a": 1}';
    const scope = scopeOf({ outputs: { a: { text, json: JSON.parse(text) } } });
    const whole = render('{{ [outputs.a | from_json] }}', scope) as Record<string, unknown>[];
    expect(Object.keys(whole[0]!)).toEqual(['constructor', 'a']);
    expect(Object.getPrototypeOf(whole[0])).toBe(Object.prototype);
    expect(render('[{{ outputs.a.polluted }}]', scope)).toBe('[]');
    expect(render('{{ (outputs.a | from_json) | tojson }}', scope)).not.toContain('__proto__');
    expect(holds("'__proto__' in item", scopeOf({ item: JSON.parse(text) }))).toBe(false);
    const copied = [
      render('{{ item }}', scopeOf({ item: JSON.parse(text) })),
      (render('{{ item.in }}', scopeOf({ item: { in: [JSON.parse(text)] } })) as TemplateValue[])[0],
      renderDeep(JSON.parse('{"__proto__": {"polluted": "{{ input }}"}, "a": 1, "constructor": 1}'), scope),
    ];
    for (const copy of copied) {
      expect(Object.keys(copy as object).toSorted()).toEqual(['a', 'constructor']);
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect((copy as Record<string, unknown>)['polluted']).toBeUndefined();
    }
    expect(render('{{ item | tojson }}', scopeOf({ item: JSON.parse(text) }))).not.toContain('__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('an output that looks like a template, a filter or a quote stays text', () => {
    const said = `'}} {{ inputs.secret }} {% x %} " | tojson \\u0022 $& $1 \`id\` $(id)`;
    const scope = scopeOf({ outputs: { a: said }, inputs: { secret: 'SECRET' } });
    expect(render('{{ outputs.a }}', scope)).toBe(said);
    expect(render('a {{ outputs.a }} b', scope)).toBe(`a ${said} b`);
    expect(JSON.parse(render('{{ outputs.a | tojson }}', scope) as string)).toBe(said);
    expect(holds(`outputs.a == 'x' or 'x' == outputs.a`, scope)).toBe(false);
    expect(renderDeep({ [said]: '{{ outputs.a }}' }, scope)).toEqual({ [said]: said });
  });
});

describe('work is bounded by its counts', () => {
  const { template, expression } = templateLimits;

  it.each<[string, string]>([
    ['parentheses', `{{ ${'('.repeat(expression)} }}`],
    ['parentheses in many expressions', `{{ ${'('.repeat(60)} }}`.repeat(template / 70)],
    ['lists', `{{ ${'['.repeat(expression)} }}`],
    ['brackets of calls', `{{ f${'('.repeat(expression - 10)} }}`],
    ['members', `{{ item${'.a'.repeat(8000)} }}`],
    ['escapes', `{{ "${'\\n'.repeat(8000)}" }}`],
    ['wrong escapes', `{{ "${'\\q'.repeat(8000)}" }}`],
    ['texts', `{{ [${'"",'.repeat(5000)}] }}`],
    ['braces', '{'.repeat(template)],
    ['closing braces', `{{${'}'.repeat(template - 2)}`],
    ['quotes', `{{ ${`"'`.repeat(8000)} }}`],
    ['statements', '{%{#%}#}'.repeat(template / 8)],
    ['errors', '{{!}}'.repeat(template / 5)],
    ['line ends', `${'\r\n'.repeat(template / 2 - 10)}{{ nope }}`],
  ])('of reading: %s', (_name, text) => {
    expect(text.length).toBeLessThanOrEqual(template + 40);
    const meter = new WorkMeter();
    const parsed = parseTemplate(text, meter);
    expect(meter.steps).toBeLessThanOrEqual(6 * text.length + 10);
    if (!parsed.ok) expect(parsed.errors.length).toBeLessThanOrEqual(1 + text.length / 4);
  });

  it('of a text that repeats a large one', () => {
    const scope = scopeOf({ outputs: { a: 'x'.repeat(1024 * 1024) } });
    const meter = new WorkMeter();
    const text = render('{{ outputs.a }} '.repeat(10_000), scope, meter) as string;
    expect(text.length).toBe(templateLimits.rendered + cutMarker.length);
    expect(meter.steps).toBeLessThanOrEqual(templateLimits.rendered + 1024 * 1024 + 100);
  });

  it('of filters that make a text grow again and again', () => {
    const scope = scopeOf({ input: '&'.repeat(20_000) });
    const meter = new WorkMeter();
    const text = render(`{{ input${' | xml_escape'.repeat(40)} }}`, scope, meter) as string;
    // Each time every & becomes five characters, of which one is an & again.
    expect(text.length).toBe(20_000 * (1 + 4 * 40));
    expect(meter.steps).toBeLessThanOrEqual(40 * text.length);
  });

  it('of a search that fails as late as possible, again and again', () => {
    const scope = scopeOf({
      outputs: { text: 'a'.repeat(2_000_000), needle: `b${'a'.repeat(500_000)}`, end: `${'a'.repeat(500_000)}b` },
    });
    const meter = new WorkMeter();
    expect(holds('outputs.needle in outputs.text or outputs.end in outputs.text', scope, meter)).toBe(false);
    expect(meter.steps).toBeLessThanOrEqual(2 * 2_500_001 + 20);
  });

  it('of data whose parts are shared at every level', () => {
    let shared: unknown = 'x';
    for (let level = 0; level < 100; level += 1) shared = [shared, shared];
    const scope = scopeOf({ inputs: { shared, other: [shared, shared] } });
    const meter = new WorkMeter(1_000_000);
    expect(render('{{ inputs.shared }}', scope, meter)).toBe(cutMarker);
    expect(meter.steps).toBeLessThan(1_100_000);
    const again = new WorkMeter(1_000_000);
    expect(holds('inputs.other == inputs.shared', scope, again)).toBe(false);
    expect(again.steps).toBeLessThan(1_100_000);
    const text = new WorkMeter(1_000_000);
    expect(render('x{{ inputs.shared | tojson | truncate(20) }}', scope, text)).toBe(`x${cutMarker}`);
    expect(text.steps).toBeLessThan(templateLimits.rendered);
  });

  it('of a list that claims to be endless', () => {
    const sparse: unknown[] = [];
    sparse.length = 2 ** 32 - 1;
    const meter = new WorkMeter(1_000_000);
    render('{{ inputs.sparse }}', scopeOf({ inputs: { sparse } }), meter);
    holds('1 in inputs.sparse', scopeOf({ inputs: { sparse } }), meter);
    expect(meter.steps).toBeLessThan(1_100_000);
  });
});
