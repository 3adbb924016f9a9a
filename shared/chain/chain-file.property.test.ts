import fc from 'fast-check';
import { type Node, parseTree } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { createHistory, push, redo, undo } from '../history/history.ts';
import { applyEdit } from './apply-edit.ts';
import type { Chain } from './chain.ts';
import { parseChainFile, serializeChain } from './chain-file.ts';
import type { ChainEdit } from './edit.ts';
import { namedSteps } from './named-steps.ts';
import { ownStepFields } from './step-fields.ts';

/** How a strange program might lay out its JSON. */
interface Layout {
  readonly bom: boolean;
  readonly lineEnd: string;
  readonly indent: string;
  readonly colon: string;
  readonly comma: string;
  readonly beforeComma: string;
  /** Nesting from which everything stands on one line. */
  readonly inlineFrom: number;
  readonly escape: boolean;
  readonly shuffle: number;
  readonly lead: string;
  readonly tail: string;
}

const blank = fc.constantFrom('', ' ', '  ', '\t', '\n', '\r\n');
const anyLayout: fc.Arbitrary<Layout> = fc.record({
  bom: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  indent: fc.constantFrom('', ' ', '  ', '    ', '\t'),
  colon: fc.constantFrom(':', ': ', ' : ', ':\t', ' :\n '),
  comma: fc.constantFrom(',', ', ', ',  '),
  beforeComma: fc.constantFrom('', '', ' ', '\n  '),
  inlineFrom: fc.integer({ min: 0, max: 4 }),
  escape: fc.boolean(),
  shuffle: fc.nat(20),
  lead: blank,
  tail: blank,
});

function print(value: unknown, layout: Layout, depth = 0): string {
  if (typeof value === 'string') return printText(value, layout);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const lines = depth < layout.inlineFrom;
  const inner = lines ? layout.lineEnd + layout.indent.repeat(depth + 1) : '';
  const items = Array.isArray(value)
    ? value.map((item) => print(item, layout, depth + 1))
    : rotate(Object.entries(value), layout.shuffle).map(
        ([key, item]) => printText(key, layout) + layout.colon + print(item, layout, depth + 1),
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${layout.lead}${close}`;
  const text = items.join(lines ? `${layout.beforeComma},${inner}` : layout.beforeComma + layout.comma);
  return `${open}${inner}${text}${lines ? layout.lineEnd + layout.indent.repeat(depth) : ''}${close}`;
}

function printText(text: string, layout: Layout): string {
  const quoted = JSON.stringify(text);
  if (!layout.escape) return quoted;
  return quoted.replace(/[^\0-\x7f]|\//g, (unit) =>
    unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
  );
}

function rotate<T>(items: T[], by: number): T[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

const oddKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'x-note', 'on_finish', '路由', 'text', 'kept', ''),
  fc
    .string({ maxLength: 5 })
    .filter((key) => !['id', 'index', 'name', 'kind', 'with', ...Object.keys(ownStepFields)].includes(key)),
);
const oddText = fc.oneof(
  fc.constantFrom('打包', 'Build it', 'a"b\\c', 'line\nend', '\u{d83d}', '\u{1f680} go', '\u{2028}', ''),
  fc.string({ maxLength: 8, unit: 'binary' }),
);
const oddValue = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)));
const oddFields = fc.array(fc.tuple(oddKey, oddValue), { maxLength: 3 });

const part = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 });
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
  );

const fileStep = fc
  .tuple(
    fc.record({
      index: part(fc.constantFrom(-1)),
      id: part(fc.constantFrom<unknown>('a', 'b', 'build', 'build_2', 'Not An Id', 7, null)),
      skill_name: orNull(fc.constantFrom('git-sync', '(内置)', '')),
      step_name: orNull(fc.constantFrom('build', 'Build', '打包', '打 包', 'a', '')),
      action: orNull(oddText),
      detail: orNull(oddText),
      depends_on: orNull(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 3 }).map(String)), {
          maxLength: 3,
        }),
      ),
      condition: part(oddText),
      variables: orNull(fc.record({ inputs: part(fc.dictionary(oddKey, oddValue, { maxKeys: 2 })) })),
      retry_policy: orNull(fc.record({ max_retries: orNull(fc.nat(20)), other: part(oddValue) })),
      failure_mode: part(
        fc.record({ on_exhaust: part(fc.constantFrom('ask', 'skip', 'abort')), is_milestone: orNull(fc.boolean()) }),
      ),
      with: part(fc.dictionary(oddKey, oddValue, { maxKeys: 3 })),
      route: orNull(
        fc.array(
          fc.record({ when: orNull(oddText), to: fc.constantFrom('a', 'build', 'git-sync'), note: part(oddValue) }),
          {
            maxLength: 2,
          },
        ),
      ),
      on_failure: orNull(fc.constantFrom('a', 'build_2', 'gone')),
      clarify: orNull(
        fc.record({
          mode: orNull(fc.constant('chat')),
          fields: orNull(
            fc.array(fc.record({ name: fc.constant('x'), type: orNull(fc.constant('enum')) }), { maxLength: 2 }),
          ),
          other: part(oddValue),
        }),
      ),
      timeout_seconds: part(fc.integer({ min: 1, max: 9 })),
    }),
    oddFields,
  )
  .map(([known, others]) => clean(known, others));

const fileChain = fc
  .tuple(
    fc.record({
      name: orNull(oddText),
      description: part(oddText),
      tags: orNull(fc.array(oddText, { maxLength: 3 })),
      exec_count: part(fc.nat(9)),
      steps: orNull(fc.array(fileStep, { maxLength: 5 })),
    }),
    oddFields,
    fc.boolean(),
  )
  .map(([known, others, numbered]) => {
    const chain = clean(known, others);
    const steps = (chain['steps'] ?? []) as Record<string, unknown>[];
    steps.forEach((step, at) => {
      if (numbered) step['index'] = at + 1;
      else delete step['index'];
    });
    return chain;
  });

const anyFile = fc
  .tuple(fileChain, anyLayout)
  .map(([chain, layout]) => (layout.bom ? '\u{feff}' : '') + layout.lead + print(chain, layout) + layout.tail);

/** Known fields win over odd ones of the same name; what is undefined is left out. */
function clean(
  known: Record<string, unknown>,
  others: readonly (readonly [string, unknown])[],
): Record<string, unknown> {
  const entries = Object.entries(known).filter(([, value]) => value !== undefined);
  const kept = others.filter(([key]) => !Object.hasOwn(known, key) && !typed.includes(key));
  return JSON.parse(
    JSON.stringify(Object.fromEntries([...kept, ...entries.map(([key, value]) => [key, withoutUndefined(value)])])),
  );
}
const typed = ['purpose', 'user_intent', 'created_at', 'updated_at', 'skill_instruction', 'notes', 'idempotent'];

function withoutUndefined(value: unknown): unknown {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/** An edit by dice: it is made for the chain as it is when its turn comes, and may be refused. */
const anyEdit = fc
  .tuple(fc.nat(11), fc.nat(5), fc.nat(5), oddText, oddValue, oddKey, fc.boolean())
  .map(([what, first, second, text, value, key, flag]) => (chain: Chain): ChainEdit | null => {
    const idAt = (at: number): string => chain.steps[at % Math.max(1, chain.steps.length)]?.id ?? 'none';
    const [a, b] = [idAt(first), idAt(second)];
    const step = { skill_name: 's', step_name: text, action: 'do', [key === '' ? 'k' : `x${key}`]: value };
    switch (what) {
      case 0:
        return { kind: 'add_step', step, after: flag ? a : null };
      case 1:
        return { kind: 'add_step', step, insert_between: { from: a, to: b } };
      case 2:
        return { kind: 'remove_steps', ids: [a, b], bridge: flag };
      case 3:
        return { kind: 'update_step', id: a, patch: { step_name: text, condition: flag ? null : text } };
      case 4:
        return { kind: 'update_step', id: a, patch: { retry_policy: { max_retries: second }, failure_mode: null } };
      case 5:
        return { kind: 'connect', from: a, to: b };
      case 6:
        return { kind: 'disconnect', from: a, to: b };
      case 7:
        return { kind: 'move_step', id: a, to_index: second };
      case 8:
        return { kind: 'duplicate_steps', ids: flag ? [a] : [a, b] };
      case 9:
        return { kind: 'update_chain', patch: { tags: flag ? null : [text, 'x'], description: text } };
      case 10:
        return { kind: 'paste_steps', steps: chain.steps.slice(0, 2) };
      default:
        return { kind: 'update_step', id: a, patch: Object.fromEntries([[`x-${key}`, value]]) };
    }
  });

function tryEdit(chain: Chain, edit: ChainEdit | null): Chain {
  if (edit === null) return chain;
  try {
    return applyEdit(chain, edit);
  } catch (thrown) {
    if (thrown instanceof AppError) return chain;
    throw thrown;
  }
}

/** A reference that leads nowhere may be written with another number that leads nowhere. */
function meaning(chain: Chain): unknown {
  return {
    ...chain,
    steps: chain.steps.map((step) => ({
      ...step,
      depends_on: step.depends_on.map((id) => (id.startsWith('?') ? '?' : id)),
    })),
  };
}

function valueNode(text: string, path: readonly (string | number)[]): Node {
  let node = parseTree(text)!;
  for (const key of path) {
    node =
      typeof key === 'number'
        ? node.children![key]!
        : node.children!.findLast((property) => property.children![0]!.value === key)!.children![1]!;
  }
  return node;
}

describe('a chain file of any layout', () => {
  it('opens, and saves to the same bytes when nothing was changed', () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const { chain } = parseChainFile(text);
        expect(serializeChain(structuredClone(chain), text)).toBe(text);
      }),
      { numRuns: 250 },
    );
  });

  it('reads back as the chain that was written, after any edits, over the old text and as a new file', () => {
    fc.assert(
      fc.property(anyFile, fc.array(anyEdit, { minLength: 1, maxLength: 6 }), (text, edits) => {
        let { chain } = parseChainFile(text);
        for (const edit of edits) chain = tryEdit(chain, edit(chain));
        const written = serializeChain(chain, text);
        expect(meaning(parseChainFile(written).chain)).toEqual(meaning(chain));
        expect(serializeChain(chain, written)).toBe(written);
        expect(meaning(parseChainFile(serializeChain(chain, null)).chain)).toEqual(meaning(chain));
      }),
      { numRuns: 500 },
    );
  });

  it('has the first bytes again after undo, and the same new ones after redo', () => {
    fc.assert(
      fc.property(anyFile, fc.array(anyEdit, { minLength: 1, maxLength: 8 }), (text, edits) => {
        let history = createHistory(parseChainFile(text).chain);
        const texts = [text];
        for (const edit of edits) {
          const next = tryEdit(history.present, edit(history.present));
          const before = history;
          history = push(history, next, 'edit');
          if (history !== before) texts.push(serializeChain(next, text));
        }
        for (const expected of texts.toReversed()) {
          expect(serializeChain(history.present, text)).toBe(expected);
          history = undo(history);
        }
        for (const expected of texts) {
          expect(serializeChain(history.present, text)).toBe(expected);
          history = redo(history);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('changes only the bytes of the value when one text field changes', () => {
    fc.assert(
      fc.property(anyFile, fc.nat(5), fc.constantFrom('action', 'detail'), oddText, (text, pick, field, value) => {
        const { chain } = parseChainFile(text);
        const at = pick % Math.max(1, chain.steps.length);
        const step = chain.steps[at];
        fc.pre(step !== undefined && typeof step[field] === 'string');
        const body = text.replace(/^\u{feff}/u, '');
        // A step that a route or a stand-in names gets its id written.
        const named = namedSteps(chain);
        const raw = JSON.parse(body).steps as { id?: unknown }[];
        fc.pre(chain.steps.every(({ id }, place) => !named.has(id) || raw[place]!.id === id));
        const steps = valueNode(body, ['steps', at]);
        fc.pre(steps.children!.some((property) => property.children![0]!.value === field));
        const node = valueNode(body, ['steps', at, field]);
        const written = serializeChain(
          applyEdit(chain, { kind: 'update_step', id: step!.id, patch: { [field]: value } }),
          text,
        );
        const bom = text.length - body.length;
        expect(written.startsWith(text.slice(0, bom + node.offset))).toBe(true);
        expect(written.endsWith(body.slice(node.offset + node.length))).toBe(true);
      }),
      { numRuns: 250 },
    );
  });

  it('keeps the text of every other step when steps are moved, inserted and removed', () => {
    const independent = fileChain.map((chain) => {
      const steps = (chain['steps'] ?? []) as Record<string, unknown>[];
      const own = steps.map((step, at) => {
        const { index: _index, ...others } = step;
        return { ...others, id: `own_${at}`, depends_on: [] };
      });
      return { ...chain, steps: own };
    });
    fc.assert(
      fc.property(independent, anyLayout, fc.nat(5), fc.nat(5), fc.nat(2), (file, layout, first, second, what) => {
        const text = print(file, layout);
        const { chain } = parseChainFile(text);
        fc.pre(chain.steps.length > 0);
        const a = chain.steps[first % chain.steps.length]!.id;
        const edit: ChainEdit =
          what === 0
            ? { kind: 'move_step', id: a, to_index: second }
            : what === 1
              ? { kind: 'remove_steps', ids: [a] }
              : { kind: 'add_step', step: { skill_name: '', step_name: 'New', action: 'x' }, after: a, depends_on: [] };
        const next = applyEdit(chain, edit);
        const written = serializeChain(next, text);
        const pieces = new Set(
          valueNode(written, ['steps']).children!.map((node) => written.slice(node.offset, node.offset + node.length)),
        );
        chain.steps.forEach((step, at) => {
          if (!next.steps.some((other) => other.id === step.id)) return;
          const node = valueNode(text, ['steps', at]);
          expect(pieces).toContain(text.slice(node.offset, node.offset + node.length));
        });
      }),
      { numRuns: 250 },
    );
  });
});

describe('hostile text', () => {
  function expectChainOrClearError(text: string): void {
    try {
      const { chain } = parseChainFile(text, 'x.json');
      expect(serializeChain(chain, text)).toBe(text);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(AppError);
      const error = thrown as AppError;
      expect(error.code).toBe('CHAIN_FILE_BROKEN');
      expect(error.place.line).toBeGreaterThan(0);
      expect(error.place.column).toBeGreaterThan(0);
      expect(error.message).not.toMatch(/\{\w+\}/);
    }
  }

  it('gives a chain or CHAIN_FILE_BROKEN with its place, never anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 60 }),
          oddValue.map((value) => JSON.stringify(value)),
        ),
        expectChainOrClearError,
      ),
      { numRuns: 1000 },
    );
  });

  it('gives the same for a good file with a piece cut out, doubled or replaced', () => {
    fc.assert(
      fc.property(anyFile, fc.nat(), fc.nat(12), fc.string({ maxLength: 3 }), (text, at, length, junk) => {
        const start = at % (text.length + 1);
        expectChainOrClearError(text.slice(0, start));
        expectChainOrClearError(text.slice(0, start) + junk + text.slice(start + length));
        expectChainOrClearError(text.slice(0, start + length) + text.slice(start));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same for any value in any field', () => {
    const fields = ['index', 'id', 'skill_name', 'step_name', 'action', 'depends_on', 'variables', 'retry_policy'];
    const more = ['failure_mode', 'notes', 'kind', 'with', 'timeout_seconds', 'idempotent', '__proto__'];
    fc.assert(
      fc.property(fc.constantFrom(...fields, ...more), oddValue, (field, value) => {
        expectChainOrClearError(`{"steps": [{${JSON.stringify(field)}: ${JSON.stringify(value)}}]}`);
        expectChainOrClearError(`{${JSON.stringify(field)}: ${JSON.stringify(value)}}`);
      }),
      { numRuns: 500 },
    );
  });
});
