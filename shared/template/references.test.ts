import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition, parseTemplate } from './parse-template.ts';
import { referencesOf } from './references.ts';

function read(text: string): string[] {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.errors)}`);
  return referencesOf(parsed.template).map(
    ({ root, path, offset, safe }) => `${[root, ...path].join('.')}@${offset}${safe ? ' safe' : ''}`,
  );
}

describe('the references of a template', () => {
  it.each<[string, string[]]>([
    ['plain', []],
    ['{{ "x" }}', []],
    ['{{ input }} {{ outputs.a-1.b.0 }}', ['input@3', 'outputs.a-1.b.0@15']],
    ['{{ input | xml_escape }}', ['input@3 safe']],
    ['{{ input | truncate(5) }}', ['input@3 safe']],
    ['{{ input | tojson }}', ['input@3 safe']],
    ['{{ input | slugify }}', ['input@3 safe']],
    ['{{ input | from_json }}', ['input@3']],
    ['{{ input | xml_escape | truncate(5) }}', ['input@3 safe']],
    ['{{ input | from_json | tojson }}', ['input@3 safe']],
    // What comes last counts.
    ['{{ input | tojson | from_json }}', ['input@3']],
    ['{{ ((input | tojson) or item) | from_json }}', ['input@5', 'item@24']],
    ['{{ (input or item) | xml_escape }}', ['input@4 safe', 'item@13 safe']],
    ['{{ (input | xml_escape) or item }}', ['input@4 safe', 'item@27']],
    ['{{ [input, item | tojson] }}', ['input@4', 'item@11 safe']],
    // Of a comparison only true or false comes out.
    ['{{ input == item }}', ['input@3 safe', 'item@12 safe']],
    ['{{ input in vars.x }}', ['input@3 safe', 'vars.x@12 safe']],
    ['{{ not input }}', ['input@7 safe']],
    ['{{ input == "a" and item }}', ['input@3 safe', 'item@20']],
    ['{{ (input == "a") | from_json }}', ['input@4 safe']],
  ])('%s', (text, references) => {
    expect(read(text)).toEqual(references);
  });

  it('are all found in a long row, in their order', () => {
    const parsed = parseTemplate(`{{ ${Array.from({ length: 900 }, (_value, at) => `vars.v${at}`).join(' or ')} }}`);
    if (!parsed.ok) throw new Error('too long');
    expect(referencesOf(parsed.template).map(({ path }) => path[0])).toEqual(
      Array.from({ length: 900 }, (_value, at) => `v${at}`),
    );
  });

  it('stand where their names stand in the source', () => {
    const part = fc.constantFrom(
      'text 中 ',
      '{{ outputs.a.b }}',
      '{{item|tojson}}',
      '{{ not (vars.x in [index, input]) }}',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const parsed = parseTemplate(parts.join(''));
        if (!parsed.ok) throw new Error('the parts of this test can be read');
        for (const { root, path, offset } of referencesOf(parsed.template)) {
          expect(parsed.template.source.startsWith([root, ...path].join('.'), offset)).toBe(true);
        }
      }),
    );
  });
});

describe('the references of a condition', () => {
  it('are all safe', () => {
    const parsed = parseCondition("outputs.a == 'x' or (item | from_json)");
    if (!parsed.ok) throw new Error('the condition of this test can be read');
    expect(referencesOf(parsed.condition)).toEqual([
      { root: 'outputs', path: ['a'], offset: 0, safe: true },
      { root: 'item', path: [], offset: 21, safe: true },
    ]);
  });
});
