import { notice } from './notice.ts';
import type { SkillNotice } from './skill.ts';

/** Where the front matter is in a text with LF line ends. */
export type Fences =
  | {
      readonly kind: 'found';
      /** The text between the fences. */
      readonly block: string;
      /** Line of the block's first line, from 1. */
      readonly blockLine: number;
      /** Index of the first character after the closing fence's line. */
      readonly bodyStart: number;
      readonly notices: SkillNotice[];
    }
  | { readonly kind: 'none'; readonly notice: SkillNotice }
  /** The closing fence is not in the given part; the whole text is needed. */
  | { readonly kind: 'more' };

const plainFence = /^---[ \t]*$/;
const keyLine = /^[A-Za-z][\w-]*[ \t]*:/;

/**
 * Finds the fences. `text` has LF line ends and no byte order mark; `partial` says that it is only the start of the
 * file. Only a line that is exactly `---` (plus spaces) opens or closes; what other systems write instead is accepted
 * with a warning. No language tag is ever honoured: `---js` is not a fence.
 */
export function findFences(text: string, partial: boolean): Fences {
  if (text.startsWith('---\n')) {
    // The common case without a list of lines.
    const end = text.indexOf('\n---', 3);
    if (end >= 0 && text[end + 4] === '\n') {
      return { kind: 'found', block: text.slice(4, Math.max(4, end)), blockLine: 2, bodyStart: end + 5, notices: [] };
    }
  }
  const opening = skipToOpening(text);
  if (opening.kind !== 'at')
    return partial && opening.kind === 'open_comment' ? { kind: 'more' } : noFence(text, opening.at);
  const lineEnd = endOfLine(text, opening.at);
  const first = text.slice(opening.at, lineEnd);
  if (!plainFence.test(first)) {
    if (partial && lineEnd === text.length && first.length < 4) return { kind: 'more' };
    return noFence(text, opening.at);
  }
  const start = Math.min(lineEnd + 1, text.length);
  const blockLine = countLines(text, start) + 1;
  const closing = findClosing(text, start, partial);
  if (closing === 'more') return { kind: 'more' };
  const notices = [...opening.notices];
  if (closing.code !== null) {
    const line = countLines(text, closing.at) + 1;
    notices.push(notice('warning', closing.code, closing.code === 'fence_missing' ? { line: line - 1 } : {}, line));
  }
  return { kind: 'found', block: text.slice(start, closing.at), blockLine, bodyStart: closing.bodyStart, notices };
}

type Opening =
  | { kind: 'at'; at: number; notices: SkillNotice[] }
  | { kind: 'empty'; at: number }
  | { kind: 'open_comment'; at: number };

/** Skips blank lines and HTML comments. */
function skipToOpening(text: string): Opening {
  const notices: SkillNotice[] = [];
  let at = 0;
  for (;;) {
    const blank = /^[ \t]*\n/.exec(text.slice(at, at + 4096));
    if (blank !== null) {
      if (at === 0) notices.push(notice('warning', 'blank_before_fence', {}, 1));
      at += blank[0].length;
    } else if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at);
      if (end < 0) return { kind: 'open_comment', at };
      if (!notices.some(({ code }) => code === 'comment_before_fence')) {
        notices.push(notice('warning', 'comment_before_fence', {}, countLines(text, at) + 1));
      }
      at = end + 3;
      // What stands behind the comment on its line counts as the next line.
      const rest = /^[ \t]*\n/.exec(text.slice(at, at + 4096));
      if (rest !== null) at += rest[0].length;
    } else {
      return /^\s*$/.test(text.slice(at)) ? { kind: 'empty', at } : { kind: 'at', at, notices };
    }
  }
}

interface Closing {
  readonly at: number;
  readonly bodyStart: number;
  readonly code: 'fence_indented' | 'fence_glued' | 'fence_missing' | null;
}

function findClosing(text: string, start: number, partial: boolean): Closing | 'more' {
  const plain = /^---[ \t]*$/m;
  const found = searchFrom(text, plain, start);
  const glued = searchFrom(text, /^---(?=[^-\s])/m, start);
  // What stands glued to text before a plain fence can not be YAML; the plain one is a rule of the body.
  if (found !== null && (glued === null || glued.at > found.at)) {
    // At the end of a part, `---` may be the start of `---# Title`.
    if (partial && found.end === text.length) return 'more';
    return { at: found.at, bodyStart: Math.min(found.end + 1, text.length), code: null };
  }
  if (partial && glued === null) return 'more';
  if (found !== null && glued !== null) return { at: glued.at, bodyStart: glued.at + 3, code: 'fence_glued' };
  if (partial) return 'more';
  const indented = searchFrom(text, /^[ \t]+---[ \t]*$/m, start);
  if (indented !== null) {
    return { at: indented.at, bodyStart: Math.min(indented.end + 1, text.length), code: 'fence_indented' };
  }
  if (glued !== null) return { at: glued.at, bodyStart: glued.at + 3, code: 'fence_glued' };
  const heading = searchFrom(text, /^# /m, start);
  if (heading !== null) return { at: heading.at, bodyStart: heading.at, code: 'fence_missing' };
  const end = endOfYamlLines(text, start);
  return { at: end, bodyStart: end, code: 'fence_missing' };
}

function searchFrom(text: string, pattern: RegExp, start: number): { at: number; end: number } | null {
  const sticky = new RegExp(pattern.source, 'gm');
  sticky.lastIndex = start;
  const match = sticky.exec(text);
  return match === null ? null : { at: match.index, end: match.index + match[0].length };
}

/** End of the lines that can be YAML: keys, their indented continuation, list items, comments and blanks between. */
function endOfYamlLines(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    if (!keyLine.test(line) && !/^([ \t]|- |#|$)/.test(line)) return at;
    at = end + 1;
  }
  return text.length;
}

/** Says why there is no front matter, as exactly as the text allows. */
function noFence(text: string, at: number): Fences {
  const line = countLines(text, at) + 1;
  const first = text.slice(at, endOfLine(text, at));
  const none = (code: Parameters<typeof notice>[1], params: SkillNotice['params'] = {}): Fences => ({
    kind: 'none',
    notice: notice('error', code, params, line),
  });
  if (/^\s*$/.test(text)) return { kind: 'none', notice: notice('error', 'empty_file') };
  if (text.slice(0, 4096).includes('\0')) return none('binary');
  if (/^(<{7}|={7}|>{7})/.test(first)) return none('merge_conflict');
  if (/^---/.test(first)) return none('fence_not_plain', { text: first.slice(0, 60) });
  if (/^\+\+\+[ \t]*$/.test(first)) return none('toml_front_matter');
  if (/^(```|~~~)/.test(first) && /^\s*---[ \t]*\n/.test(text.slice(endOfLine(text, at) + 1)))
    return none('in_code_fence');
  if (/^(name|description)[ \t]*:/.test(first)) return none('no_fences');
  if (hasLaterBlock(text, at)) return none('text_before');
  return none('no_front_matter');
}

/** Whether a fence and a name or description behind it come later. By lines: one expression for it can not be compiled. */
function hasLaterBlock(text: string, at: number): boolean {
  const lines = text.slice(at, at + 20_000).split('\n');
  let sinceFence = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (plainFence.test(line)) sinceFence = 0;
    else if (sinceFence < 20 && /^(name|description)[ \t]*:/.test(line)) return true;
    else sinceFence += 1;
  }
  return false;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Number of line ends before `at`. */
function countLines(text: string, at: number): number {
  let count = 0;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) count += 1;
  return count;
}
