import { assertNever, invariant } from '../errors/invariant.ts';
import { areEqual, isEmpty, isIn, isTrue, orderOf } from './compare.ts';
import { cutText, jsonCopy, kindOf, lengthOf, ownKeys, ownValue, textOf } from './data.ts';
import { applyFilter } from './filters.ts';
import { templateLimits, WorkMeter } from './limits.ts';
import { type ParsedTemplate, parseTemplate } from './parse-template.ts';
import type {
  BinaryOperator,
  Condition,
  Expression,
  Template,
  TemplateObject,
  TemplateScope,
  TemplateValue,
} from './template.ts';

/** Stands where a text was cut because it grew too long. */
export const cutMarker = `\n[… > ${templateLimits.rendered / 1024 / 1024} MB]`;

/**
 * Fills in a template. A single expression keeps the type of its value (nothing = ""); otherwise the value is text, in
 * which nothing is "", and lists, objects, numbers and booleans are compact JSON. Never throws, whatever the data is;
 * a text that is too long, or costs too much, ends with `cutMarker`.
 */
export function renderTemplate(
  template: Template,
  scope: TemplateScope,
  meter: WorkMeter = new WorkMeter(),
): TemplateValue {
  const evaluation = new Evaluation(scope, meter);
  const [first] = template.parts;
  if (template.isSingle && first !== undefined && typeof first !== 'string') {
    const value = evaluation.value(first);
    const kind = kindOf(value);
    const given = kind === 'text' ? withinLimit(value as string) : jsonCopy(value, meter);
    if (meter.steps > meter.limit) return cutMarker;
    return kind === 'nothing' && value !== null ? '' : given;
  }
  const pieces: string[] = [];
  let length = 0;
  for (const part of template.parts) {
    const piece = typeof part === 'string' ? part : textOf(evaluation.value(part), meter);
    const room = templateLimits.rendered - length;
    if (piece.length > room || !meter.spend(piece.length)) {
      pieces.push(cutText(piece, meter.steps > meter.limit ? 0 : room), cutMarker);
      break;
    }
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join('');
}

/**
 * Fills in every text of a JSON value, each by itself, so that a quote in an output can not break what is around it. Keys
 * stay as they are. All its texts together have the work of one. A text that can not be read is a bug: the check of the
 * chain has refused it.
 */
export function renderDeep(
  value: unknown,
  scope: TemplateScope,
  parse: (text: string) => ParsedTemplate = parseTemplate,
): TemplateValue {
  const meter = new WorkMeter();
  const render = (part: unknown, depth: number): TemplateValue => {
    const kind = kindOf(part);
    if (kind === 'text') return renderLeaf(part as string);
    if (kind === 'nothing' || depth > templateLimits.dataDepth) return null;
    if (kind === 'list') {
      const list: TemplateValue[] = [];
      const count = lengthOf(part);
      for (let at = 0; at < count; at += 1) list.push(render(ownValue(part, String(at)), depth + 1));
      return list;
    }
    if (kind !== 'object') return part as TemplateValue;
    const object: Record<string, TemplateValue> = {};
    for (const key of ownKeys(part)) {
      const member = ownValue(part, key);
      if (member !== undefined) object[key] = render(member, depth + 1);
    }
    return object satisfies TemplateObject;
  };
  const renderLeaf = (text: string): TemplateValue => {
    if (!/\{[{%#]/.test(text)) return text;
    const parsed = parse(text);
    invariant(parsed.ok, 'a template that can not be read has come to a run');
    return renderTemplate(parsed.template, scope, meter);
  };
  return render(value, 0);
}

/** Whether a condition holds: its value is neither empty nor a word that means no. Never throws. */
export function evaluateCondition(
  condition: Condition,
  scope: TemplateScope,
  meter: WorkMeter = new WorkMeter(),
): boolean {
  return new Evaluation(scope, meter).holds(condition.expression);
}

/** Roots whose texts come out of steps, and so may have a line end that nobody means. */
const stepRoots: ReadonlySet<string> = new Set(['outputs', 'vars', 'item']);

class Evaluation {
  readonly #scope: TemplateScope;
  readonly #meter: WorkMeter;

  constructor(scope: TemplateScope, meter: WorkMeter) {
    this.#scope = scope;
    this.#meter = meter;
  }

  /** The value as a condition. */
  holds(expression: Expression): boolean {
    if (expression.kind === 'not') return !this.holds(expression.operand);
    if (expression.kind === 'binary' && expression.operator === 'or') {
      return chainOf(expression, 'or').some((part) => this.holds(part));
    }
    if (expression.kind === 'binary' && expression.operator === 'and') {
      return chainOf(expression, 'and').every((part) => this.holds(part));
    }
    return isTrue(this.value(expression));
  }

  /** The value as data; undefined = nothing. */
  value(expression: Expression): unknown {
    this.#meter.spend(1);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'list':
        return expression.items.map((item) => this.value(item));
      case 'name':
        return this.#name(expression);
      case 'not':
        return !this.holds(expression.operand);
      case 'filter':
        return this.#filtered(expression);
      case 'binary':
        return this.#binary(expression);
      default:
        return assertNever(expression);
    }
  }

  #name({ root, path }: Extract<Expression, { kind: 'name' }>): unknown {
    const [first, ...rest] = path;
    if (root === 'input' || root === 'index') return this.#scope[root];
    if (root === 'item') return valueAt(this.#scope.item, path);
    if (first === undefined) return undefined;
    if (root === 'inputs') return valueAt(this.#scope.inputs(first), rest);
    if (root === 'vars') return valueAt(this.#scope.variable(first), rest);
    const output = this.#scope.output(first);
    return rest.length === 0 ? output?.text : valueAt(output?.json, rest);
  }

  /** Filters behind each other are a list in the text, so no call in a call is made for them. */
  #filtered(expression: Expression): unknown {
    const filters: Extract<Expression, { kind: 'filter' }>[] = [];
    let operand = expression;
    for (; operand.kind === 'filter'; operand = operand.operand) filters.push(operand);
    let value = this.value(operand);
    for (const { name, argument } of filters.reverse()) value = applyFilter(name, argument, value, this.#meter);
    return value;
  }

  #binary(expression: Extract<Expression, { kind: 'binary' }>): unknown {
    const { operator, left, right } = expression;
    if (operator === 'or') return this.#firstThat(chainOf(expression, 'or'), (value) => !isEmpty(value));
    if (operator === 'and') return this.#firstThat(chainOf(expression, 'and'), (value) => !isTrue(value));
    const isFromStep = comesFromStep(left) || comesFromStep(right);
    const values = [this.value(left), this.value(right)] as const;
    switch (operator) {
      case 'in':
        return this.#isIn(left, values[0], values[1], isFromStep);
      case 'not in':
        return !this.#isIn(left, values[0], values[1], isFromStep);
      case 'contains':
        return this.#isIn(right, values[1], values[0], isFromStep);
      default: {
        const [a, b] = isFromStep ? [trimmed(values[0]), trimmed(values[1])] : values;
        if (operator === '==') return areEqual(a, b, this.#meter);
        return operator === '!=' ? !areEqual(a, b, this.#meter) : isInOrder(operator, orderOf(a, b));
      }
    }
  }

  /** Texts of steps are trimmed where whole values are compared, and where they are looked for in another text. */
  #isIn(source: Expression, needle: unknown, container: unknown, isFromStep: boolean): boolean {
    if (kindOf(container) !== 'list') {
      return isIn(comesFromStep(source) ? trimmed(needle) : needle, container, this.#meter);
    }
    return isFromStep ? isIn(trimmed(needle), container, this.#meter, trimmed) : isIn(needle, container, this.#meter);
  }

  /** The first value that passes, else the last. */
  #firstThat(parts: readonly Expression[], passes: (value: unknown) => boolean): unknown {
    let value: unknown;
    for (const part of parts) {
      value = this.value(part);
      if (passes(value)) break;
    }
    return value;
  }
}

/** `a or b or c` as [a, b, c]: a long row is no deep tree. */
function chainOf(expression: Expression, operator: 'and' | 'or'): Expression[] {
  const parts: Expression[] = [];
  let rest = expression;
  for (; rest.kind === 'binary' && rest.operator === operator; rest = rest.left) parts.push(rest.right);
  return [rest, ...parts.toReversed()];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (found === undefined) return undefined;
    found = ownValue(found, key);
  }
  return found;
}

function comesFromStep(expression: Expression): boolean {
  let source = expression;
  while (source.kind === 'filter') source = source.operand;
  return source.kind === 'name' && stepRoots.has(source.root);
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}

function isInOrder(operator: BinaryOperator, order: -1 | 0 | 1 | null): boolean {
  if (order === null) return false;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function withinLimit(text: string): string {
  return text.length <= templateLimits.rendered ? text : cutText(text, templateLimits.rendered) + cutMarker;
}
