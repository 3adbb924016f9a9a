import { templateLimits, WorkMeter } from './limits.ts';
import { nearestName } from './nearest-name.ts';
import { readMember, readToken, shown, type Token } from './read-token.ts';
import {
  type BinaryOperator,
  type Condition,
  type Expression,
  type FilterName,
  filterNames,
  type Template,
  type TemplateError,
  type TemplateRoot,
  templateRoots,
} from './template.ts';

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly errors: readonly TemplateError[] };

export type ParsedCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly errors: readonly TemplateError[] };

/**
 * Reads a text with `{{ ... }}` in it. All errors are reported, at least the first of each expression, in the order of
 * the text. A lone brace is text; `{{ "{{" }}` gives the double one. `meter` counts the steps: linear in the length.
 */
export function parseTemplate(text: string, meter: WorkMeter = new WorkMeter()): ParsedTemplate {
  const errors = new Errors(text);
  const parts: (string | Expression)[] = [];
  const lastClose = text.lastIndexOf('}}');
  let plain = 0;
  const openings = new Openings(text, meter);
  let at = openings.next(0);
  if (at !== -1 && text.length > templateLimits.template) {
    errors.add('too_long', templateLimits.template, { limit: templateLimits.template });
    return { ok: false, errors: errors.list() };
  }
  while (at !== -1) {
    const pair = text.slice(at, at + 2);
    if (pair !== '{{') {
      errors.add('no_statements', at, { found: pair });
      at = openings.next(text.indexOf(closingOf(pair), at + 2) + 2);
      continue;
    }
    if (lastClose < at) {
      errors.add('unclosed_expression', at, {});
      break;
    }
    if (at > plain) parts.push(text.slice(plain, at));
    const parser = new Parser(text, errors, meter, at);
    const expression = parser.expression();
    if (expression !== null) parts.push(expression);
    plain = parser.end;
    at = openings.next(plain);
  }
  if (plain < text.length) parts.push(text.slice(plain));
  if (errors.count > 0) return { ok: false, errors: errors.list() };
  return { ok: true, template: { source: text, parts, isSingle: parts.length === 1 && typeof parts[0] !== 'string' } };
}

/** Reads a condition, which may stand in one pair of double braces as a whole. A blank text is an error. */
export function parseCondition(text: string, meter: WorkMeter = new WorkMeter()): ParsedCondition {
  const errors = new Errors(text);
  if (text.length > templateLimits.expression) {
    errors.add('too_long', templateLimits.expression, { limit: templateLimits.expression });
    return { ok: false, errors: errors.list() };
  }
  const open = text.length - text.trimStart().length;
  const isWrapped = text.startsWith('{{', open);
  const parser = new Parser(text, errors, meter, isWrapped ? open : null);
  const expression = parser.expression();
  if (expression !== null && isWrapped) parser.expectEnd();
  if (expression === null || errors.count > 0) return { ok: false, errors: errors.list() };
  return { ok: true, condition: { source: text, expression } };
}

/**
 * Finds the next `{{`, or the next statement or comment that is closed. `{%` and `{#` without their ends are text, and so
 * is the `${#` of a shell.
 */
class Openings {
  readonly #text: string;
  readonly #meter: WorkMeter;
  readonly #lastStatement: number;
  readonly #lastComment: number;

  constructor(text: string, meter: WorkMeter) {
    this.#text = text;
    this.#meter = meter;
    this.#lastStatement = text.lastIndexOf('%}');
    this.#lastComment = text.lastIndexOf('#}');
  }

  /** -1 = there is none. */
  next(from: number): number {
    let at = this.#text.indexOf('{', from);
    while (at !== -1 && !this.#isOpening(at)) at = this.#text.indexOf('{', at + 1);
    this.#meter.spend(1 + (at === -1 ? this.#text.length : at) - from);
    return at;
  }

  #isOpening(at: number): boolean {
    const next = this.#text[at + 1];
    if (next === '%') return this.#lastStatement >= at + 2;
    if (next === '#') return this.#lastComment >= at + 2 && this.#text[at - 1] !== '$';
    return next === '{';
  }
}

function closingOf(pair: string): string {
  return pair === '{%' ? '%}' : '#}';
}

/** Roots of which only a member is a value. */
const groups: ReadonlySet<string> = new Set(['inputs', 'outputs', 'vars']);
/** Roots that have no members. */
const singles: ReadonlySet<string> = new Set(['input', 'index']);
const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['none', null],
  ['None', null],
]);
const operatorWords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'contains']);
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'contains']);
const forbiddenNames: ReadonlySet<string> = new Set(['constructor', 'prototype']);
const nothing: Expression = { kind: 'literal', value: null };

/**
 * One expression by recursive descent. `null` from a method = the text can not be followed any further, which has been
 * reported; other faults are reported and passed over.
 */
class Parser {
  /** Offset behind the expression, or where the text can be followed again after an error. */
  end = 0;
  readonly #text: string;
  readonly #errors: Errors;
  readonly #meter: WorkMeter;
  /** Offset of the double brace before the expression; null when it is the whole text. */
  readonly #open: number | null;
  readonly #bound: number;
  #token: Token;

  constructor(text: string, errors: Errors, meter: WorkMeter, open: number | null) {
    this.#text = text;
    this.#errors = errors;
    this.#meter = meter;
    this.#open = open;
    const start = open === null ? 0 : open + 2;
    this.#bound = start + templateLimits.expression;
    this.#token = this.#read(start);
  }

  /** The expression up to its closing braces (or the end of the text where it has none). */
  expression(): Expression | null {
    const known = this.#errors.count;
    const expression = this.#or(0);
    const isEnd = this.#token.kind === (this.#open === null ? 'end' : 'close');
    if (expression !== null && isEnd) {
      this.end = this.#token.end;
      return expression;
    }
    // Where the first word was no name already, the words behind it are no second fault: this is a sentence.
    const isSentence = this.#token.kind === 'name' && this.#errors.count > known;
    if (expression !== null && !isSentence) this.#fail('operator');
    this.end = this.#recover();
    return null;
  }

  /** Nothing but blanks may follow. */
  expectEnd(): void {
    this.#next();
    const { kind, offset, text } = this.#token;
    if (kind !== 'end') this.#errors.add('unexpected', offset, { found: text, expected: 'end' });
  }

  #or(depth: number): Expression | null {
    let left = this.#and(depth);
    while (left !== null && this.#isWord('or')) left = this.#binary('or', left, this.#next().#and(depth));
    return left;
  }

  #and(depth: number): Expression | null {
    let left = this.#not(depth);
    while (left !== null && this.#isWord('and')) left = this.#binary('and', left, this.#next().#not(depth));
    return left;
  }

  #not(depth: number): Expression | null {
    let inner = depth;
    for (; this.#isWord('not'); this.#next()) {
      inner += 1;
      if (!this.#mayNest(inner)) return null;
    }
    let operand = this.#comparison(inner);
    for (; operand !== null && inner > depth; inner -= 1) operand = { kind: 'not', operand };
    return operand;
  }

  #comparison(depth: number): Expression | null {
    const left = this.#piped(depth);
    if (left === null) return null;
    const operator = this.#operator();
    if (operator === null) return left;
    const whole = this.#binary(operator, left, this.#piped(depth));
    const { kind, text } = this.#token;
    const isAnother =
      whole !== null && (kind === 'sign' || kind === 'name') && (comparisons.has(text) || text === 'not');
    return isAnother ? this.#fail('one_comparison') : whole;
  }

  /** Takes a comparing operator, if there is one. */
  #operator(): BinaryOperator | null {
    const { kind, text } = this.#token;
    if (kind !== 'sign' && kind !== 'name') return null;
    if (comparisons.has(text)) {
      this.#next();
      return text as BinaryOperator;
    }
    if (text !== 'not') return null;
    const after = this.#read(this.#token.end);
    if (after.kind !== 'name' || after.text !== 'in') return null;
    this.#next();
    this.#next();
    return 'not in';
  }

  #binary(operator: BinaryOperator, left: Expression, right: Expression | null): Expression | null {
    return right === null ? null : { kind: 'binary', operator, left, right };
  }

  #piped(depth: number): Expression | null {
    let operand = this.#primary(depth);
    for (let inner = depth + 1; operand !== null && this.#isSign('|'); inner += 1) {
      if (!this.#mayNest(inner)) return null;
      this.#next();
      operand = this.#filter(operand);
    }
    return operand;
  }

  #filter(operand: Expression): Expression | null {
    const { kind, text: name, offset } = this.#token;
    if (kind !== 'name') return this.#fail('filter');
    this.#next();
    if (!(filterNames as readonly string[]).includes(name)) {
      this.#errors.add('unknown_filter', offset, { name: shown(name), close: nearestName(name, filterNames) });
      return this.#isSign('(') && !this.#skipBrackets() ? null : operand;
    }
    const argument = this.#isSign('(') ? this.#argument(name) : null;
    return argument === 'lost' ? null : { kind: 'filter', name: name as FilterName, operand, argument };
  }

  /** What stands between the parentheses of a filter; 'lost' when they can not be followed to their end. */
  #argument(name: string): number | null | 'lost' {
    this.#next();
    let argument: number | null = null;
    const { kind, value } = this.#token;
    if (name === 'truncate' && kind === 'number' && Number.isSafeInteger(value)) {
      argument = value as number;
      this.#next();
    }
    if (this.#isSign(')')) {
      this.#next();
      return argument;
    }
    if (this.#isLost()) {
      this.#fail(')');
      return 'lost';
    }
    const expected = name === 'truncate' ? 'whole_number' : 'none';
    this.#errors.add('filter_arguments', this.#token.offset, { name, expected });
    return this.#skipBrackets(1) ? argument : 'lost';
  }

  #primary(depth: number): Expression | null {
    const { kind, text, value } = this.#token;
    let primary: Expression | null;
    if (kind === 'string' || kind === 'number') {
      this.#next();
      primary = { kind: 'literal', value: value! };
    } else if (this.#isSign('(')) primary = this.#parentheses(depth + 1);
    else if (this.#isSign('[')) primary = this.#list(depth + 1);
    else if (kind === 'name' && constants.has(text)) {
      this.#next();
      primary = { kind: 'literal', value: constants.get(text)! };
    } else if (kind === 'name' && !operatorWords.has(text)) return this.#name();
    else return this.#fail('value');
    return primary !== null && this.#isPostfix() ? this.#refusePostfix() : primary;
  }

  #parentheses(depth: number): Expression | null {
    if (!this.#mayNest(depth)) return null;
    this.#next();
    const inner = this.#or(depth);
    if (inner === null) return null;
    if (!this.#isSign(')')) return this.#fail(')');
    this.#next();
    return inner;
  }

  #list(depth: number): Expression | null {
    if (!this.#mayNest(depth)) return null;
    const items: Expression[] = [];
    this.#next();
    while (!this.#isSign(']')) {
      const item = this.#or(depth);
      if (item === null) return null;
      items.push(item);
      if (this.#isSign(',')) this.#next();
      else if (!this.#isSign(']')) return this.#fail(']');
    }
    this.#next();
    return { kind: 'list', items };
  }

  /** `root.path.path`. At most one error: what follows a name that is wrong means nothing. */
  #name(): Expression | null {
    const { text: root, offset } = this.#token;
    this.#next();
    if (this.#isSign('(')) {
      this.#errors.add('not_allowed', offset, { what: 'call', name: shown(root) });
      return this.#skipPostfix();
    }
    if (!(templateRoots as readonly string[]).includes(root)) {
      if (isForbidden(root)) this.#errors.add('not_allowed', offset, { what: 'name', name: shown(root) });
      else {
        const close = nearestName(root.normalize('NFKC'), [...templateRoots, ...constants.keys(), ...operatorWords]);
        this.#errors.add('unknown_root', offset, { name: shown(root), close });
      }
      return this.#skipPostfix();
    }
    if (singles.has(root) && this.#isSign('.')) {
      const expected = root === 'input' ? 'inputs' : 'operator';
      this.#errors.add('unexpected', this.#token.offset, { found: '.', expected });
      return this.#skipPostfix();
    }
    const path: string[] = [];
    while (this.#isSign('.')) {
      const at = this.#token.end;
      const member = this.#member();
      if (member === null) return null;
      if (isForbidden(member)) {
        this.#errors.add('not_allowed', at, { what: 'name', name: shown(member) });
        return this.#skipPostfix();
      }
      path.push(member);
    }
    if (this.#isPostfix()) return this.#refusePostfix(path.at(-1));
    if (groups.has(root) && path.length === 0) {
      if (this.#isLost()) return this.#fail('member');
      this.#errors.add('unexpected', this.#token.offset, { found: this.#token.text, expected: 'member' });
      return nothing;
    }
    return { kind: 'name', root: root as TemplateRoot, path, offset };
  }

  /** The name behind the point that is the current token. */
  #member(): string | null {
    const at = this.#token.end;
    const member = readMember(this.#text, at, this.#meter);
    if (member === '') {
      this.#token = this.#read(at);
      if (this.#token.offset === at) return this.#fail('member');
      this.#errors.add('unexpected', at, { found: this.#text[at]!, expected: 'member' });
      return null;
    }
    this.#token = this.#read(at + member.length);
    return member;
  }

  /** Refuses a call, a computed member and a member of a value that is no name. */
  #refusePostfix(name = ''): Expression | null {
    const what = this.#isSign('(') ? 'call' : 'member';
    this.#errors.add('not_allowed', this.#token.offset, { what, name: shown(name) });
    return this.#skipPostfix();
  }

  #isPostfix(): boolean {
    return this.#isSign('(') || this.#isSign('[') || this.#isSign('.');
  }

  /** Passes over members and brackets without a word. */
  #skipPostfix(): Expression | null {
    while (this.#isPostfix()) {
      if (!this.#isSign('.')) {
        if (!this.#skipBrackets()) return null;
        continue;
      }
      const at = this.#token.end;
      const member = readMember(this.#text, at, this.#meter);
      if (member === '') return null;
      this.#token = this.#read(at + member.length);
    }
    return nothing;
  }

  /** Passes over the brackets that open here (or `level` that are open already); false when they are not closed. */
  #skipBrackets(level = 0): boolean {
    let open = level;
    do {
      if (this.#isLost()) return false;
      const { kind, text } = this.#token;
      if (kind === 'sign' && (text === '(' || text === '[' || text === '{')) open += 1;
      else if (kind === 'sign' && (text === ')' || text === ']' || text === '}')) open -= 1;
      this.#next();
    } while (open > 0);
    return true;
  }

  /** The expression ends here, whether it is complete or not. */
  #isLost(): boolean {
    const { kind } = this.#token;
    return kind === 'end' || kind === 'open' || kind === 'close' || kind === 'bad';
  }

  #isWord(word: string): boolean {
    return this.#token.kind === 'name' && this.#token.text === word;
  }

  #isSign(sign: string): boolean {
    return this.#token.kind === 'sign' && this.#token.text === sign;
  }

  #mayNest(depth: number): boolean {
    if (depth <= templateLimits.depth) return true;
    this.#errors.add('too_deep', this.#token.offset, { limit: templateLimits.depth });
    return false;
  }

  #next(): this {
    this.#token = this.#read(this.#token.end);
    return this;
  }

  #read(from: number): Token {
    return readToken(this.#text, from, this.#bound, templateLimits.expression, this.#meter);
  }

  /** Reports the current token; `expected` is a sign, a word or the name of a kind of thing (see `template-texts.ts`). */
  #fail(expected: string): null {
    const { kind, offset, text, error } = this.#token;
    if (error !== undefined) {
      const params = error.params['expected'] === '' ? { ...error.params, expected } : error.params;
      this.#errors.add(error.code, error.offset, params);
    } else if (this.#open !== null && (kind === 'end' || kind === 'open')) {
      this.#errors.add('unclosed_expression', this.#open, {});
    } else this.#errors.add('unexpected', offset, { found: text, expected });
    return null;
  }

  /** Behind the next closing braces; or the next opening ones, when they come first. */
  #recover(): number {
    const from = this.#token.offset;
    let at = from;
    for (; at < this.#text.length; at += 1) {
      if (this.#text.startsWith('}}', at)) break;
      if (this.#text.startsWith('{{', at)) {
        this.#meter.spend(at - from);
        return at;
      }
    }
    this.#meter.spend(at - from);
    return Math.min(at + 2, this.#text.length);
  }
}

/** Names that lead to what an object is made of; also in letters that only look different. */
function isForbidden(name: string): boolean {
  const plain = name.normalize('NFKC');
  return (plain.startsWith('__') && plain.endsWith('__')) || forbiddenNames.has(plain);
}

/** Errors of one text, with their lines and columns. */
class Errors {
  readonly #text: string;
  readonly #found: Omit<TemplateError, 'line' | 'column'>[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get count(): number {
    return this.#found.length;
  }

  add(code: TemplateError['code'], offset: number, params: TemplateError['params']): void {
    this.#found.push({ code, offset, params });
  }

  /** In the order of the text. A line ends with LF, CR LF or CR. */
  list(): TemplateError[] {
    const sorted = this.#found.toSorted((a, b) => a.offset - b.offset);
    let line = 1;
    let start = 0;
    let at = 0;
    return sorted.map(({ code, offset, params }) => {
      for (; at < offset; at += 1) {
        const unit = this.#text.charCodeAt(at);
        if (unit !== 0x0a && (unit !== 0x0d || this.#text.charCodeAt(at + 1) === 0x0a)) continue;
        line += 1;
        start = at + 1;
      }
      return { code, offset, line, column: offset - start + 1, params };
    });
  }
}
