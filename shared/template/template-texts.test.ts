import { describe, expect, it } from 'vitest';
import { locales } from '../text/texts.ts';
import { parseCondition, parseTemplate } from './parse-template.ts';
import { templateErrorText, templateTexts } from './template-texts.ts';

function said(text: string, locale: 'en' | 'zh-CN' = 'en'): string[] {
  const parsed = parseTemplate(text);
  return parsed.ok ? [] : parsed.errors.map((error) => templateErrorText(locale, error));
}

describe('the text of an error', () => {
  it.each([
    [
      '{{ input index }}',
      '"index" can not stand here: an operator is expected (== != < <= > >= in, not in, contains, and, or, |), or the end.',
    ],
    ['{{ input = 1 }}', '"=" can not stand here: "==" is expected.'],
    ['{{ outputs.a.b( }}', 'Nothing can be called in a template; values are changed with filters: value | filter.'],
    [
      "{{ outputs.get('a', '') }}",
      'Nothing can be called in a template. Instead of .get("name") write .name: what does not exist is empty.',
    ],
    ['{{ input | default("x") }}', 'There is no filter "default". Write "or" instead: inputs.name or "text".'],
    ['{{ outputs.__class__ }}', 'The name "__class__" is not allowed in a template.'],
    [
      '{{ output.x }}',
      'There is nothing named "output". Is "outputs" meant? A name is input, item or index, or starts with inputs., outputs. or vars.; a text stands in quotes.',
    ],
    [
      '{{ input | lower }}',
      'There is no filter "lower". There are xml_escape, slugify, truncate(n), tojson and from_json.',
    ],
    ['{{ input | truncate("x") }}', 'The filter "truncate" takes nothing or one whole number in parentheses.'],
    ['{{ input | tojson(1) }}', 'The filter "tojson" takes nothing in parentheses.'],
    ['{% x %}', 'Blocks and comments ("{%") do not exist here; a template has only expressions: {{ ... }}.'],
  ])('%s: %s', (text, sentence) => {
    expect(said(text)).toEqual([sentence]);
  });

  it('of a condition that ends too early says what is missing', () => {
    const parsed = parseCondition('outputs.a ==');
    if (parsed.ok) throw new Error('it has no second value');
    expect(templateErrorText('en', parsed.errors[0]!)).toMatch(/^It ends too early: a value is expected/);
    expect(templateErrorText('zh-CN', parsed.errors[0]!)).toMatch(/^内容结束过早：应为一个值/);
  });

  it('leaves no placeholder open and is in its language, for every kind of error', () => {
    const wrong = [
      ...[
        '{{ }}',
        '{{ input',
        "{{ 'x }}",
        '{{ nope }}',
        '{{ input | trunc }}',
        '{{ input | truncate(x) }}',
        '{{ f() }}',
      ],
      ...['{{ item[0] }}', '{{ item.constructor }}', '{# x #}', '{{ 1.2.3 }}', `{{ ${'('.repeat(70)} }}`],
      ...[
        `{{ "${'x'.repeat(20_000)}" }}`,
        '{{ 1 == 2 == 3 }}',
        String.raw`{{ "\q" }}`,
        '{{ input.x }}',
        '{{ inputs }}',
      ],
      ...['{{ input | }}', '{{ (1 }}', '{{ input | tojson(1) }}'],
    ];
    const codes = new Set<string>();
    for (const text of wrong) {
      const parsed = parseTemplate(text);
      if (parsed.ok) throw new Error(`${text} can be read`);
      for (const error of parsed.errors) {
        codes.add(error.code);
        const [en, zh] = locales.map((locale) => templateErrorText(locale, error)) as [string, string];
        expect(en).not.toMatch(/[\u4e00-\u9fff]/);
        expect(zh).toMatch(/[\u4e00-\u9fff]/);
        for (const sentence of [en, zh]) expect(sentence).not.toMatch(/\{(?:found|expected|name|close|limit|sign)\b/);
      }
    }
    expect(codes).toEqual(
      new Set([
        ...[
          'unexpected',
          'unclosed_expression',
          'unclosed_string',
          'unknown_filter',
          'filter_arguments',
          'unknown_root',
        ],
        ...['not_allowed', 'no_statements', 'number_invalid', 'too_long', 'too_deep'],
      ]),
    );
  });

  it('exists in each language with the same placeholders', () => {
    const placeholders = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();
    for (const key of Object.keys(templateTexts.en) as (keyof typeof templateTexts.en)[]) {
      expect(placeholders(templateTexts['zh-CN'][key]), key).toEqual(placeholders(templateTexts.en[key]));
    }
  });
});
