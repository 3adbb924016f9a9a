/** Quotes, brackets, marks of emphasis and punctuation around a label, in both languages' forms. */
const around = /^[\s\p{P}`*_~<>|=+^$]+|[\s\p{P}`*_~<>|=+^$]+$/gu;

/**
 * The option that a model's reply means: equal to it, equal without quotes and punctuation around both, equal ignoring
 * case, else the first option (in the order of `options`) that the reply contains, ignoring case. The options stay as
 * they are written. Null when none fits. The order is OpenSquilla's coercion.
 */
export function classifyLabel(reply: string, options: readonly string[]): string | null {
  const usable = options.filter((option) => option.trim() !== '');
  const said = reply.trim();
  if (said === '') return null;
  for (const form of [trimmed, stripped, folded]) {
    const wanted = form(said);
    const equal = wanted === '' ? undefined : usable.find((option) => form(option) === wanted);
    if (equal !== undefined) return equal;
  }
  const text = caseFolded(said);
  return usable.find((option) => text.includes(caseFolded(option.trim()))) ?? null;
}

function trimmed(text: string): string {
  return text.trim();
}

function stripped(text: string): string {
  return text.replace(around, '').normalize('NFC');
}

function folded(text: string): string {
  return caseFolded(stripped(text));
}

function caseFolded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
