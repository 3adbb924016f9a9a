import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { type Locale, locales, nearestLocale } from '../../shared/text/texts.ts';

const files = import.meta.glob<Record<string, unknown>>('./{en,zh-CN}/*.json', { eager: true, import: 'default' });

/** Makes the texts of every namespace ready; everything is bundled, nothing is fetched. */
export function setupI18n(locale: Locale): void {
  const resources = Object.fromEntries(locales.map((name) => [name, namespacesOf(name)]));
  void i18next.use(initReactI18next).init({
    resources,
    lng: locale,
    fallbackLng: 'en',
    ns: Object.keys(namespacesOf('en')),
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    returnNull: false,
    initAsync: false,
  });
  document.documentElement.lang = locale;
}

/** Shows the window in another language from now on. */
export function changeLocale(locale: Locale): void {
  if (i18next.language === locale) return;
  void i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
}

/** The language on the screen, for the texts of `shared/` (errors, states, problems). */
export function useLocale(): Locale {
  const { i18n } = useTranslation();
  return nearestLocale(i18n.language);
}

/** The language that the system asks for. */
export function systemLocale(): Locale {
  return nearestLocale(navigator.language);
}

function namespacesOf(locale: Locale): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => path.startsWith(`./${locale}/`))
      .map(([path, texts]) => [path.slice(path.lastIndexOf('/') + 1, -'.json'.length), texts]),
  );
}
