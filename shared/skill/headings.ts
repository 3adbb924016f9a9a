export interface MarkdownHeading {
  /** 1 to 6. */
  readonly level: number;
  /** What is shown: without the marks around it, without code marks, emphasis and the addresses of links. */
  readonly text: string;
  /** As it is written, without the marks around it. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
}

export interface MarkdownLines {
  readonly lines: readonly string[];
  /** In the order of the text. What stands in a fenced block or a comment is none. */
  readonly headings: readonly MarkdownHeading[];
  /** Fenced blocks by their first and last line, from 1, fences included. One without an end goes to the end. */
  readonly fences: readonly { readonly start: number; readonly end: number }[];
}

const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
/** CommonMark wants a space; Chinese texts often leave it out. One mark alone may be a tag. */
const atxWithoutSpace = /^ {0,3}(#{2,6})(?=\p{Script=Han})(.*?)(?:[ \t]+#+)?[ \t]*$/u;
const fenceOpening = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
/** What can not be the text of a heading that is underlined. */
const noParagraph = /^(\s{4}|\s*$|\s*[|>#]|\s*[-*+][ \t]|\s*\d{1,9}[.)][ \t])/;

/** The parts of a markdown text that the search for a part of it goes by. Time grows with the length of the text. */
export function readMarkdownLines(markdown: string): MarkdownLines {
  const lines = markdown.split(/\r\n|\r|\n/);
  const headings: MarkdownHeading[] = [];
  const fences: { start: number; end: number }[] = [];
  let fence: { mark: string; start: number } | null = null;
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (fence !== null) {
      if (!closes(line, fence.mark)) continue;
      fences.push({ start: fence.start, end: number });
      fence = null;
      continue;
    }
    if (inComment) {
      inComment = !line.includes('-->');
      continue;
    }
    if (/^ {0,3}<!--/.test(line)) {
      inComment = !line.includes('-->');
      continue;
    }
    const opening = fenceOpening.exec(line);
    if (opening !== null) {
      fence = { mark: opening[1]!, start: number };
      continue;
    }
    const match = atx.exec(line) ?? atxWithoutSpace.exec(line);
    if (match !== null) {
      const source = (match[2] ?? '').trim();
      if (source !== '') headings.push({ level: match[1]!.length, source, text: shownText(source), line: number });
      continue;
    }
    const level = /^ {0,3}=+[ \t]*$/.test(line) ? 1 : /^ {0,3}-+[ \t]*$/.test(line) ? 2 : null;
    const above = lines[index - 1] ?? '';
    // Only one line that stands alone: under a longer paragraph, dashes are more often meant as a rule.
    if (level === null || noParagraph.test(above) || (lines[index - 2] ?? '').trim() !== '') continue;
    const source = above.trim();
    headings.push({ level, source, text: shownText(source), line: index });
  }
  if (fence !== null) fences.push({ start: fence.start, end: lines.length });
  return { lines, headings, fences };
}

function closes(line: string, mark: string): boolean {
  const written = line.replace(/^[ \t>]+/, '').trimEnd();
  return written.length >= mark.length && written === mark[0]!.repeat(written.length);
}

/** Markdown of one line as it is shown. */
export function shownText(source: string): string {
  return source
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`+/g, '')
    .replace(/(\*{1,3}|~~)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}
