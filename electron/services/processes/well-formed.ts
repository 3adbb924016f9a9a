/** The text with half characters (a cut may fall inside one) replaced, so that it can be written as UTF-8. */
export function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
