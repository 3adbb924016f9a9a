import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyFilter, fromJson, slugify, toJson, truncate, xmlEscape } from './filters.ts';
import { templateLimits, WorkMeter } from './limits.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const loneHalf = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe('xml_escape', () => {
  it('escapes the five signs and nothing else', () => {
    expect(xmlEscape(`<a b="c" d='e'>&amp; 中 😀</a>`)).toBe(
      '&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp; 中 😀&lt;/a&gt;',
    );
  });

  it('leaves no sign that could open or close something, and can be undone', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = xmlEscape(text);
        expect(escaped).not.toMatch(/[<>"']/);
        const back = escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&apos;', "'")
          .replaceAll('&amp;', '&');
        expect(back).toBe(text);
      }),
    );
  });
});

describe('slugify', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  --a__b--  ', 'a-b'],
    ['发布 流水线 2.0', '发布-流水线-2-0'],
    ['ÀÉ straße', 'àé-straße'],
    ['Cafe\u0301', 'café'],
    ['हिन्दी भाषा', 'हिन्दी-भाषा'],
    ['Привет мир', 'привет-мир'],
    ['二〇二六年', '二〇二六年'],
    ['a/../b', 'a-b'],
    ['❤️ 😀', ''],
    ['', ''],
    ['...', ''],
  ])('%j is %j', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });

  it('is stable, and has no dash at an end or beside another', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const slug = slugify(text);
        expect(slug).not.toMatch(/^-|-$|--|[\s<>&"'/\\.]/);
        expect(slugify(slug)).toBe(slug);
      }),
    );
  });
});

describe('truncate', () => {
  it.each<[string, number | undefined, string]>([
    ['short', 80, 'short'],
    ['exactly8', 8, 'exactly8'],
    ['longer than', 8, 'longe...'],
    ['blank at the cut', 9, 'blank...'],
    ['abcdef', 3, '...'],
    ['abcdef', 2, '..'],
    ['abcdef', 1, '.'],
    ['ab', 2, 'ab'],
    ['a'.repeat(81), undefined, `${'a'.repeat(77)}...`],
    ['a'.repeat(81), 0, `${'a'.repeat(77)}...`],
    ['a'.repeat(81), -5, `${'a'.repeat(77)}...`],
    ['a'.repeat(80), 0, 'a'.repeat(80)],
    ['abc😀defg', 7, 'abc...'],
    ['abc😀defg', 8, 'abc😀...'],
  ])('%j to %s is %j', (text, length, cut) => {
    expect(truncate(text, length)).toBe(cut);
  });

  it('gives at most that many units, begins as the text does, and halves no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.integer({ min: 1, max: 60 }), (text, length) => {
        const cut = truncate(text, length);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut).not.toMatch(loneHalf);
        if (cut !== text) {
          expect(cut).toMatch(/\.{1,3}$/);
          expect(text.startsWith(cut.slice(0, length > 3 ? -3 : 0))).toBe(true);
        }
      }),
    );
  });
});

describe('tojson', () => {
  it.each<[unknown, string]>([
    ['a "b"\n', String.raw`"a \"b\"\n"`],
    [undefined, 'null'],
    [null, 'null'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [() => 1, 'null'],
    [1.5, '1.5'],
    [true, 'true'],
    [[1, 'x', undefined], '[1,"x",null]'],
    [{ b: 1, 项: ['中'], gone: undefined }, '{"b":1,"项":["中"]}'],
    ['</data>&', String.raw`"\u003c/data\u003e\u0026"`],
    [{ toJSON: () => 'called' }, '{"toJSON":null}'],
  ])('%j is %s', (value, json) => {
    expect(toJson(value)).toBe(json);
  });

  it('gives JSON that means the value, without a sign that could close a tag', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        const json = toJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(/[<>&]/);
      }),
    );
  });
});

describe('from_json', () => {
  it.each<[string, unknown]>([
    ['["a", 1]', ['a', 1]],
    [' {"a": {"b": null}}\n', { a: { b: null } }],
    ['```json\n["a"]\n```', ['a']],
    ['```\n{"a":1}```', { a: 1 }],
    ['\n```json\r\n[1]\r\n```\n', [1]],
    ['\ufeff[1]', [1]],
    ['"text"', 'text'],
    ['null', null],
    ['', undefined],
    ['no JSON', undefined],
    ['{"a": 1', undefined],
    ["{'a': 1}", undefined],
    ['Here it is: [1]', undefined],
    ['``````', undefined],
    ['```', undefined],
    ['```json [1] ```', undefined],
  ])('%j is %j', (text, value) => {
    expect(fromJson(text)).toEqual(value);
  });

  it('brings back what tojson wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        expect(fromJson(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ['plain', '{"a": {"__proto__": {"polluted": true}, "b": 1}}'],
    ['escaped', String.raw`{"a": {"\u005f_proto\u005f\u005f": {"polluted": true}, "b": 1}}`],
  ])('leaves out a key __proto__ (%s)', (_name, text) => {
    const value = fromJson(text) as { a: Record<string, unknown> };
    expect(Object.keys(value.a)).toEqual(['b']);
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
    expect(value.a['polluted']).toBeUndefined();
  });

  it('gives nothing for JSON that is deeper or longer than the limits', () => {
    const { dataDepth, rendered } = templateLimits;
    expect(fromJson('['.repeat(dataDepth) + ']'.repeat(dataDepth))).toBeDefined();
    expect(fromJson('['.repeat(dataDepth + 1) + ']'.repeat(dataDepth + 1))).toBeUndefined();
    expect(fromJson(`"${'x'.repeat(rendered)}"`)).toBeUndefined();
  });
});

describe('a filter', () => {
  it('takes values that are no texts as their texts', () => {
    const meter = new WorkMeter();
    expect(applyFilter('slugify', null, 2.5, meter)).toBe('2-5');
    expect(applyFilter('slugify', null, undefined, meter)).toBe('');
    expect(applyFilter('xml_escape', null, { a: '<' }, meter)).toBe('{&quot;a&quot;:&quot;&lt;&quot;}');
    expect(applyFilter('truncate', 5, ['abc', 'def'], meter)).toBe('["...');
    expect(applyFilter('truncate', null, true, meter)).toBe('true');
    expect(applyFilter('from_json', null, [1], meter)).toEqual([1]);
    expect(applyFilter('from_json', null, undefined, meter)).toBeUndefined();
  });

  it('gives nothing when there is no work left', () => {
    const meter = new WorkMeter(10);
    expect(applyFilter('xml_escape', null, 'x'.repeat(11), meter)).toBeUndefined();
    expect(applyFilter('from_json', null, '[1]', meter)).toBeUndefined();
    expect(applyFilter('tojson', null, 'x'.repeat(20), new WorkMeter(10))).toBe('null');
  });
});
