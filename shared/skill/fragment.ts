import { type MarkdownHeading, type MarkdownLines, readMarkdownLines, shownText } from './headings.ts';

/** A part of SKILL.md that a name means. */
export interface Fragment {
  readonly text: string;
  /** The heading that the part stands under, as it is shown; null above the first. */
  readonly heading: string | null;
  /** Lines of the given text, from 1, both included. */
  readonly start_line: number;
  readonly end_line: number;
  /** Another part fits as well; this is the first of them. */
  readonly ambiguous: boolean;
}

/** A section that is longer is cut down to the block that was meant. */
const sectionLimit = 6_000;

/**
 * The part of a SKILL.md's body that `skill_instruction` names: the section whose heading is that text; else the one
 * whose heading is the same without case, blanks, punctuation and numbering; else one whose heading begins with it or
 * contains it; else what stands around the command, table row, list item or line that has it. A section goes to the
 * next heading of its own or a higher level. Null when nothing fits.
 */
export function findFragment(markdownBody: string | MarkdownLines, instruction: string): Fragment | null {
  const wanted = instruction.trim().replace(/^#{1,6}[ \t]+/, '');
  if (wanted === '') return null;
  const body = typeof markdownBody === 'string' ? readMarkdownLines(markdownBody) : markdownBody;
  return byHeading(body, wanted) ?? byLine(body, wanted);
}

function byHeading(body: MarkdownLines, wanted: string): Fragment | null {
  const name = shownText(wanted);
  const key = keyOf(name);
  const bare = keyOf(withoutNumber(name));
  const tiers: ((heading: MarkdownHeading) => boolean)[] = [
    (heading) => heading.source === wanted || heading.text === name,
  ];
  if (key !== '') tiers.push((heading) => keyOf(heading.text) === key);
  if (bare !== '') tiers.push((heading) => keyOf(withoutNumber(heading.text)) === bare);
  if (isTelling(bare)) {
    tiers.push((heading) => codeIn(heading.source).some((code) => keyOf(code) === bare));
    tiers.push((heading) => keyOf(withoutNumber(heading.text)).startsWith(bare));
    tiers.push((heading) => keyOf(heading.text).includes(bare));
  }
  for (const fits of tiers) {
    const found = body.headings.filter(fits);
    const first = found[0];
    if (first === undefined) continue;
    const end = sectionEnd(body, first);
    return part(body, first.line, end, first.text, found.at(-1)!.line > end);
  }
  return null;
}

/** Looks at the lines: first for one whose command, first cell or item is the text, then for one that contains it. */
function byLine(body: MarkdownLines, wanted: string): Fragment | null {
  const text = folded(wanted);
  const key = keyOf(wanted);
  if (!isTelling(key)) return null;
  const headingLines = new Set(body.headings.map(({ line }) => line));
  const tiers: ((line: string) => boolean)[] = [
    (line) => names(line).some((name) => folded(name) === text),
    (line) => folded(line).includes(text),
    (line) => keyOf(line).includes(key),
  ];
  for (const fits of tiers) {
    const found = body.lines.flatMap((line, index) => (!headingLines.has(index + 1) && fits(line) ? [index + 1] : []));
    if (found.length === 0) continue;
    const parts = found.slice(0, 50).map((line) => around(body, line));
    const first = parts[0]!;
    const ambiguous = parts.some((other) => other.start < first.start || other.end > first.end);
    return part(body, first.start, first.end, first.heading, ambiguous);
  }
  return null;
}

/** The section of a line up to the next heading, or its block alone where that is too long. */
function around(body: MarkdownLines, line: number): { start: number; end: number; heading: string | null } {
  const above = body.headings.findLast((heading) => heading.line <= line);
  const below = body.headings.find((heading) => heading.line > line);
  const start = above?.line ?? 1;
  const end = (below?.line ?? body.lines.length + 1) - 1;
  const heading = above?.text ?? null;
  if (lengthOf(body, start, end) <= sectionLimit) return { start, end, heading };
  return { ...blockOf(body, line, start + (above === undefined ? 0 : 1), end), heading };
}

/** The fenced block with the paragraph above it, or the lines without a blank one between, never more than the limit. */
function blockOf(body: MarkdownLines, line: number, from: number, to: number): { start: number; end: number } {
  const fence = body.fences.find(({ start, end }) => start <= line && line <= end);
  let start = fence?.start ?? line;
  let end = fence?.end ?? line;
  const isBlank = (number: number) => body.lines[number - 1]!.trim() === '';
  if (fence !== undefined) while (start > from && isBlank(start - 1)) start -= 1;
  while (start > from && !isBlank(start - 1)) start -= 1;
  if (fence === undefined) while (end < to && !isBlank(end + 1)) end += 1;
  if (lengthOf(body, start, end) <= sectionLimit) return { start, end };
  // A table, list or script that is too long by itself: as much of it around the line as the limit lets in.
  start = line;
  end = line;
  let length = body.lines[line - 1]!.length;
  const first = fence?.start ?? from;
  const last = fence?.end ?? to;
  for (;;) {
    const up = start > first ? body.lines[start - 2]!.length + 1 : Number.POSITIVE_INFINITY;
    const down = end < last ? body.lines[end]!.length + 1 : Number.POSITIVE_INFINITY;
    if (length + Math.min(up, down) > sectionLimit) return { start, end };
    if (line - start <= end - line ? up !== Number.POSITIVE_INFINITY : down === Number.POSITIVE_INFINITY) {
      if (length + up > sectionLimit) return { start, end };
      start -= 1;
      length += up;
    } else {
      if (length + down > sectionLimit) return { start, end };
      end += 1;
      length += down;
    }
  }
}

function part(
  body: MarkdownLines,
  start: number,
  end: number,
  heading: string | null,
  ambiguous: boolean,
): Fragment | null {
  let first = start;
  let last = end;
  while (last > first && body.lines[last - 1]!.trim() === '') last -= 1;
  while (first < last && body.lines[first - 1]!.trim() === '') first += 1;
  const text = body.lines.slice(first - 1, last).join('\n');
  return { text, heading, start_line: first, end_line: last, ambiguous };
}

function sectionEnd(body: MarkdownLines, heading: MarkdownHeading): number {
  const next = body.headings.find((other) => other.line > heading.line && other.level <= heading.level);
  return (next?.line ?? body.lines.length + 1) - 1;
}

function lengthOf(body: MarkdownLines, start: number, end: number): number {
  let length = 0;
  for (let line = start; line <= end; line += 1) length += body.lines[line - 1]!.length + 1;
  return length;
}

/** What a line may be called by: its code, the cells of a table's row, the start of a list item. */
function names(line: string): string[] {
  const found = codeIn(line);
  const row = /^\s*\|(.*)\|\s*$/.exec(line);
  if (row !== null) found.push(...row[1]!.split('|').map(shownText));
  const item = /^\s*(?:[-*+]|\d{1,9}[.)、])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line);
  if (item !== null) {
    const text = shownText(item[1]!);
    found.push(text, text.split(/\s*(?:[:：]|\s[-–—]\s)/)[0]!);
  }
  found.push(line.replace(/^\s*[$>]\s+/, ''));
  return found;
}

function codeIn(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
}

/** Without case and with single blanks; full-width forms as their plain ones. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Letters and digits alone. */
function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

const number =
  /^(?:第\s*[\d一二三四五六七八九十百]+\s*[步章节部分]*|(?:步骤|step|part|phase|阶段)\s*[\d一二三四五六七八九十]+(?:\.\d+)*|[（(]?(?:\d+(?:\.\d+)*|[一二三四五六七八九十]+)[）)]?(?=[\s.、:：)）]))[\s.、:：)）–—-]*/iu;

function withoutNumber(text: string): string {
  const rest = text.replace(/^[^\p{L}\p{N}（(]+/u, '').replace(number, '');
  return keyOf(rest) === '' ? text : rest;
}

/** Long enough to mean something inside another text: a word of two Han characters, or three letters. */
function isTelling(key: string): boolean {
  return key.length >= (/\p{Script=Han}/u.test(key) ? 2 : 3);
}
