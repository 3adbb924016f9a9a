import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { AppError, type ErrorPlace } from '../errors/app-error.ts';
import { invariant } from '../errors/invariant.ts';
import { findTooDeep } from '../text/json-depth.ts';
import type { TextParams } from '../text/texts.ts';
import { type DetailCode, detailParams } from './chain-texts.ts';
import { maxJsonDepth } from './json-value.ts';

/** A JSON text, its values, and where each of them stands. */
export interface JsonSource {
  /** A byte order mark, or nothing. */
  readonly bom: string;
  /** The text without it; all offsets count in here. */
  readonly text: string;
  readonly root: Node;
  readonly value: unknown;
  readonly fileName: string | undefined;
}

/**
 * Reads strict JSON (no comments, no trailing commas, as every other JSON reader). Errors: CHAIN_FILE_BROKEN with line
 * and column.
 */
export function readJsonSource(whole: string, fileName?: string): JsonSource {
  const bom = whole.startsWith('\u{feff}') ? '\u{feff}' : '';
  const text = whole.slice(bom.length);
  const shell = { text, fileName };
  if (/^[\s\0]*$/.test(text)) throw brokenAt(shell, 0, text === '' ? 'file_empty' : 'file_blank');
  const tooDeep = findTooDeep(text, maxJsonDepth);
  if (tooDeep !== -1) throw brokenAt(shell, tooDeep, 'file_too_deep', { limit: maxJsonDepth });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw syntaxError(shell);
  }
  const root = parseTree(text, [], { disallowComments: true });
  invariant(root !== undefined, 'text that JSON.parse reads has a tree');
  return { bom, text, root, value, fileName };
}

/** CHAIN_FILE_BROKEN at an offset of the text. */
export function brokenAt(
  source: Pick<JsonSource, 'text' | 'fileName'>,
  offset: number,
  detail: DetailCode,
  params: TextParams = {},
  field?: string,
): AppError {
  const before = source.text.slice(0, offset).split(/\r\n|\n|\r/);
  const place: ErrorPlace = {
    ...(source.fileName === undefined ? {} : { file: source.fileName }),
    line: before.length,
    column: before.at(-1)!.length + 1,
    ...(field === undefined ? {} : { field }),
  };
  return new AppError('CHAIN_FILE_BROKEN', detailParams(detail, params), place);
}

/** The value node that a path leads to (the last one of equal keys, as JSON.parse has it), or the nearest one above. */
export function nodeAtPath(root: Node, path: readonly PropertyKey[]): Node {
  let node = root;
  for (const part of path) {
    const next = typeof part === 'number' ? node.children?.[part] : findProperty(node, String(part))?.children?.[1];
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/** The property of an object that counts: the last one of that name. */
export function findProperty(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key);
}

const details: Readonly<Record<string, DetailCode>> = {
  InvalidNumberFormat: 'json_number',
  UnexpectedEndOfNumber: 'json_number',
  PropertyNameExpected: 'json_property',
  ValueExpected: 'json_value',
  ColonExpected: 'json_colon',
  CommaExpected: 'json_comma',
  EndOfFileExpected: 'json_more',
  InvalidCommentToken: 'json_comment',
  UnexpectedEndOfString: 'json_text',
  InvalidUnicode: 'json_escape',
  InvalidEscapeCharacter: 'json_escape',
  InvalidCharacter: 'json_text',
};

function syntaxError(source: Pick<JsonSource, 'text' | 'fileName'>): AppError {
  const errors: ParseError[] = [];
  parseTree(source.text, errors, { disallowComments: true });
  const first = errors[0];
  if (first === undefined) return brokenAt(source, 0, 'json_syntax');
  const kind = printParseErrorCode(first.error);
  const end = source.text.trimEnd().length;
  const openText = kind === 'UnexpectedEndOfString' && first.offset + first.length >= end;
  if (first.offset >= end || openText) return brokenAt(source, end, 'file_cut_off');
  return brokenAt(source, first.offset, details[kind] ?? 'json_syntax');
}
