import { describe, expect, test } from 'vitest';
import { type KeyUse, usedKeys } from './used-keys.ts';

const files = import.meta.glob<Record<string, unknown>>('./{en,zh-CN}/*.json', { eager: true, import: 'default' });
const sources = import.meta.glob<string>(
  ['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!../test/**', '!./used-keys.ts'],
  {
    eager: true,
    query: '?raw',
    import: 'default',
  },
);

const english = textsOf('en');
const chinese = textsOf('zh-CN');
const scanned = Object.entries(sources).map(([path, source]) => usedKeys(path, source));
const uses = scanned.flatMap((one) => one.uses);
const strings = new Set(scanned.flatMap((one) => [...one.strings]));

/** Where no noun follows the count, one form does for all. */
const withoutNoun = ['editor:inspector.place', 'editor:inspector.retriesDefault'];

/** `namespace:key.of.text` to text, plural forms under their own names. */
function textsOf(locale: string): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (prefix: string, value: unknown): void => {
    if (typeof value === 'string') texts.set(prefix, value);
    else {
      for (const [key, inner] of Object.entries(value as object)) {
        add(prefix.endsWith(':') ? prefix + key : `${prefix}.${key}`, inner);
      }
    }
  };
  for (const [path, content] of Object.entries(files)) {
    if (path.startsWith(`./${locale}/`)) add(`${path.split('/').at(-1)?.replace('.json', '')}:`, content);
  }
  return texts;
}

/** Without the plural form: Chinese has only `_other`, English `_one` and `_other`. */
function bare(key: string): string {
  return key.replace(/_(one|other)$/, '');
}

function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map(([, name]) => name ?? ''))].sort();
}

function where({ file, line, key }: KeyUse): string {
  return `${file.replace('../', 'renderer/')}:${line} asks for "${key}"`;
}

/** Whole keys of the texts that a use may mean. */
function meant(use: KeyUse, keys: ReadonlySet<string>): string[] {
  const pattern = new RegExp(`^${use.key.split('*').map(escaped).join('.+')}$`);
  return [...keys].filter((whole) => {
    const [namespace = '', key = ''] = splitKey(whole);
    return (use.namespaces === null || use.namespaces.includes(namespace)) && pattern.test(key);
  });
}

function splitKey(whole: string): [string, string] {
  const at = whole.indexOf(':');
  return [whole.slice(0, at), whole.slice(at + 1)];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('the texts of the window', () => {
  const bareEnglish = new Set([...english.keys()].map(bare));

  test('have the same keys in both languages', () => {
    const bareChinese = new Set([...chinese.keys()].map(bare));
    expect([...bareEnglish].filter((key) => !bareChinese.has(key))).toEqual([]);
    expect([...bareChinese].filter((key) => !bareEnglish.has(key))).toEqual([]);
  });

  test('have the same places for values in both languages', () => {
    const different = [...english].flatMap(([key, text]) => {
      const other = chinese.get(key) ?? chinese.get(`${bare(key)}_other`) ?? '';
      // "A value" may stand for "1 values".
      const needed = (of: string) => placeholders(of).filter((name) => name !== 'count' || !key.endsWith('_one'));
      const [here, there] = [needed(text).join(), needed(other).join()];
      return here === there ? [] : [`${key}: {${here}} and {${there}}`];
    });
    expect(different).toEqual([]);
  });

  test('are never empty', () => {
    for (const texts of [english, chinese]) {
      expect([...texts].filter(([, text]) => text.trim() === '').map(([key]) => key)).toEqual([]);
    }
  });

  test('have a form for one and a form for many wherever English shows a count', () => {
    const alone = [...english].filter(([key, text]) => /\{\{count\}\}/.test(text) && bare(key) === key);
    expect(alone.map(([key]) => key)).toEqual(withoutNoun);
    for (const key of english.keys()) {
      if (key.endsWith('_one')) expect(english.has(`${bare(key)}_other`), key).toBe(true);
      if (key.endsWith('_other')) expect(english.has(`${bare(key)}_one`), key).toBe(true);
    }
  });

  test('say it in Chinese with the one form that Chinese has', () => {
    expect([...chinese.keys()].filter((key) => key.endsWith('_one'))).toEqual([]);
    const plural = [...english.keys()].filter((key) => key.endsWith('_other'));
    expect(plural.filter((key) => !chinese.has(key))).toEqual([]);
  });

  test('exist for every key that the source asks for', () => {
    expect(uses.length).toBeGreaterThan(500);
    const missing = uses.filter(
      (use) => meant(use, bareEnglish).length === 0 && !(use.values?.includes('defaultValue') ?? false),
    );
    expect(missing.map(where)).toEqual([]);
  });

  test('are given every value that they have a place for', () => {
    const lacking = uses.flatMap((use) => {
      const { values, key: asked } = use;
      if (values === null || asked.includes('*')) return [];
      const wanted = meant(use, bareEnglish).flatMap((key) => {
        const forms = [english.get(key), english.get(`${key}_one`), english.get(`${key}_other`)];
        const places = forms.flatMap((text) => (text === undefined ? [] : placeholders(text)));
        return english.has(`${key}_other`) ? [...places, 'count'] : places;
      });
      const absent = [...new Set(wanted)].filter((name) => !values.includes(name));
      return absent.length === 0 ? [] : [`${where(use)} without ${absent.join(', ')}`];
    });
    expect(lacking).toEqual([]);
  });

  test('are all used', () => {
    const used = new Set(uses.flatMap((use) => meant(use, bareEnglish)));
    // A key that is computed as a whole stands as a string somewhere in the source.
    const unused = [...bareEnglish].filter(
      (key) => !used.has(key) && !strings.has(splitKey(key)[1]) && !strings.has(key),
    );
    expect(unused).toEqual([]);
  });
});

describe('reading off the texts that a file asks for', () => {
  const keysIn = (source: string) =>
    usedKeys('a.tsx', source).uses.map(({ namespaces, key }) => `${namespaces?.join('+') ?? '?'}:${key}`);

  test('knows the namespace of each function of a file', () => {
    const source = `
      function A() { const { t } = useTranslation('runs'); return t('x'); }
      function B() { const { t } = useTranslation(['jobs', 'common']); return [t('y'), t('common:z')]; }
      function c(t: TFunction<'editor'>) { return t('w'); }
      function d(t: (key: string) => string) { return t('v'); }`;
    expect(keysIn(source)).toEqual(['runs:x', 'jobs:y', 'common:z', 'editor:w', '?:v']);
  });

  test('reads both sides of a choice and leaves a mark for computed parts', () => {
    const source = ["function A() { const { t } = useTranslation('a'); return t(b ? 'x' : `y.$", '{z}.q`); }'].join('');
    expect(keysIn(source)).toEqual(['a:x', 'a:y.*.q']);
  });

  test('reads calls outside of components', () => {
    expect(keysIn("i18next.t('chains:deleted', { name })")).toEqual(['chains:deleted']);
    expect(keysIn("other('x'); i18next.use('y')")).toEqual([]);
  });
});
