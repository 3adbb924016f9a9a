/**
 * The language of templates and conditions, as a tree. Text is parsed once (`parse-template.ts`), checked against the
 * chain before a run (`references.ts`) and evaluated by walking the tree (`evaluate.ts`): there is no eval, no call, no
 * computed member, and only own properties are read.
 */

/** A JSON value; nothing else can come out of an expression. `undefined` = there is no such thing. */
export type TemplateValue = string | number | boolean | null | readonly TemplateValue[] | TemplateObject;
export interface TemplateObject {
  readonly [key: string]: TemplateValue;
}

/** What a step gave: its text and, where there is one, its JSON. `outputs.<id>` is the text, `.field` looks into the JSON. */
export interface TemplateOutput {
  readonly text: string;
  readonly json?: unknown;
}

/** What the names of a template mean in one run, for one step. `undefined` = nothing. */
export interface TemplateScope {
  readonly input: string;
  inputs(name: string): unknown;
  output(stepId: string): TemplateOutput | undefined;
  variable(name: string): unknown;
  /** Only in the template of a `fan_out`. */
  readonly item?: unknown;
  readonly index?: number;
}

export interface TemplateError {
  readonly code: TemplateErrorCode;
  /** Of the first character that is wrong, from 0, in UTF-16 units; and as line and column from 1. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly params: Readonly<Record<string, string | number>>;
}

export type TemplateErrorCode =
  /** A sign that can not stand here; `found`, `expected`. */
  | 'unexpected'
  | 'unclosed_expression'
  | 'unclosed_string'
  /** `name`; `close` = the nearest that exists, or "". */
  | 'unknown_filter'
  | 'filter_arguments'
  | 'unknown_root'
  /** A call, a computed member, a name such as `__proto__` or `constructor`. */
  | 'not_allowed'
  /** A block (`{% ... %}`) or a comment (`{# ... #}`). */
  | 'no_statements'
  | 'number_invalid'
  /** `limit` */
  | 'too_long'
  | 'too_deep';

export const templateRoots = ['input', 'inputs', 'outputs', 'vars', 'item', 'index'] as const;
export type TemplateRoot = (typeof templateRoots)[number];

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  /** `inputs.a.b` = root `inputs`, path `['a', 'b']`. */
  | { readonly kind: 'name'; readonly root: TemplateRoot; readonly path: readonly string[]; readonly offset: number }
  | { readonly kind: 'not'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'filter';
      readonly name: FilterName;
      readonly operand: Expression;
      /** Checked when it was parsed: only `truncate` takes one, a whole number. */
      readonly argument: number | null;
    };

export type BinaryOperator = 'and' | 'or' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'contains';

export const filterNames = ['xml_escape', 'slugify', 'truncate', 'tojson', 'from_json'] as const;
export type FilterName = (typeof filterNames)[number];

/** A parsed text: what stands between the expressions, and the expressions. */
export interface Template {
  readonly source: string;
  readonly parts: readonly (string | Expression)[];
  /** The text is one single expression and nothing else: its value keeps its type. */
  readonly isSingle: boolean;
}

/** A parsed condition. */
export interface Condition {
  readonly source: string;
  readonly expression: Expression;
}
