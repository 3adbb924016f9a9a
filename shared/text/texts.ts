/** The languages of the product; every text that a person sees exists in each. */
export const locales = ['en', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** Values that a text may carry; placeholders are `{name}`. */
export type TextParams = Readonly<Record<string, string | number | boolean | null>>;

/** One room's texts: the same keys in every language (the type checker sees to it). */
export type Texts<Key extends string> = Readonly<Record<Locale, Readonly<Record<Key, string>>>>;

/** Declares a room's texts; a key that one language lacks does not compile. */
export function defineTexts<Key extends string>(texts: {
  en: Record<Key, string>;
  'zh-CN': Record<NoInfer<Key>, string>;
}): Texts<Key> {
  return texts;
}

/**
 * Fills the `{name}` placeholders of a template. `{name:error|errors}` is the value and the word that goes with it, the
 * first for 1 and the second for everything else. A placeholder without a value stays visible, so that a mistake is seen
 * and never swallowed.
 */
export function fillText(template: string, params: TextParams = {}): string {
  return template.replace(
    /\{(\w+)(?::([^{}|]+)\|([^{}|]+))?\}/g,
    (whole, name: string, one: string | undefined, many: string | undefined) => {
      if (!Object.hasOwn(params, name)) return whole;
      const value = String(params[name]);
      return one === undefined ? value : `${value} ${value === '1' ? one : many}`;
    },
  );
}

/** The supported language nearest to a BCP 47 tag or a POSIX locale such as `zh_CN.UTF-8`; English otherwise. */
export function nearestLocale(tag: string | undefined): Locale {
  return tag !== undefined && /^zh\b|^zh[-_.]/i.test(tag) ? 'zh-CN' : 'en';
}
