import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import i18next from 'i18next';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { setupI18n } from '../i18n/i18n.ts';

// What jsdom lacks and the user interface asks for at its start.
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }) as MediaQueryList;
window.ResizeObserver ??= class implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
Element.prototype.scrollIntoView ??= () => {};
if (!('fonts' in document)) {
  Object.defineProperty(document, 'fonts', { value: Object.assign(new EventTarget(), { ready: Promise.resolve() }) });
}

setupI18n('en');
// A machine at work elsewhere is slow, not wrong.
configure({ asyncUtilTimeout: 8000 });
// Asked for with the `t` of another namespace, a key is on the screen in the place of its words.
const withoutWords: string[] = [];
i18next.options.saveMissing = true;
i18next.on('missingKey', (_locales, namespace, key) => withoutWords.push(`${namespace}:${key}`));

beforeEach(() => {
  localStorage.clear();
  window.location.hash = '';
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  expect(withoutWords.splice(0)).toEqual([]);
});
