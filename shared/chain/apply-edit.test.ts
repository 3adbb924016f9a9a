import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorMessage } from '../errors/app-error.ts';
import { findCycle } from '../graph/find-cycle.ts';
import { reachable } from '../graph/reachable.ts';
import { applyEdit } from './apply-edit.ts';
import { type Chain, Chain as ChainSchema, type Step } from './chain.ts';
import { parseChainFile, serializeChain } from './chain-file.ts';
import { chainGraph } from './chain-graph.ts';
import { editLabel } from './chain-texts.ts';
import { ChainEdit, editLabelKey } from './edit.ts';
import { expectAppError } from './expect-app-error.ts';
import { newStepId } from './step-id.ts';

function step(id: string, dependsOn: string[] = [], fields: Partial<Step> = {}): Step {
  return { id, skill_name: 'skill', step_name: id.toUpperCase(), action: 'do', depends_on: dependsOn, ...fields };
}

function chainOf(...steps: Step[]): Chain {
  return { name: 'test', steps };
}

function wires(chain: Chain): Record<string, string[]> {
  return Object.fromEntries(chain.steps.map((other) => [other.id, other.depends_on]));
}

const draft = { skill_name: 'skill', step_name: 'New one', action: 'do' };
const line = chainOf(step('a'), step('b', ['a']), step('c', ['b']));
const diamond = chainOf(step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c']));

describe('add_step', () => {
  it('puts the step at the end, without dependencies', () => {
    const next = applyEdit(line, { kind: 'add_step', step: draft });
    expect(next.steps.at(-1)).toEqual({ id: 'new_one', ...draft, depends_on: [] });
  });

  it('behind a step depends on that step', () => {
    const next = applyEdit(line, { kind: 'add_step', step: draft, after: 'a' });
    expect(Object.entries(wires(next))).toEqual([
      ['a', []],
      ['new_one', ['a']],
      ['b', ['a']],
      ['c', ['b']],
    ]);
  });

  it('takes the dependencies that it is told, from the edit or the step', () => {
    expect(
      wires(applyEdit(line, { kind: 'add_step', step: draft, after: 'c', depends_on: ['a', 'b'] }))['new_one'],
    ).toEqual(['a', 'b']);
    expect(wires(applyEdit(line, { kind: 'add_step', step: { ...draft, depends_on: ['c'] } }))['new_one']).toEqual([
      'c',
    ]);
  });

  it('into a connection takes its place there and leaves other dependencies alone', () => {
    const next = applyEdit(diamond, { kind: 'add_step', step: draft, insert_between: { from: 'b', to: 'd' } });
    expect(next.steps.map((other) => other.id)).toEqual(['a', 'b', 'c', 'new_one', 'd']);
    expect(wires(next)).toEqual({ a: [], b: ['a'], c: ['a'], new_one: ['b'], d: ['new_one', 'c'] });
  });

  it('gives an id that is free, and always the same one', () => {
    const twice = applyEdit(applyEdit(line, { kind: 'add_step', step: draft }), { kind: 'add_step', step: draft });
    expect(twice.steps.map((other) => other.id).slice(3)).toEqual(['new_one', 'new_one_2']);
    expect(newStepId(twice, 'New one')).toBe('new_one_3');
  });

  it('refuses a taken id, an unknown neighbour or dependency, a connection that is none, and what no file can hold', () => {
    const reasonOf = (edit: unknown): unknown =>
      expectAppError('EDIT_REFUSED', () => applyEdit(line, edit as ChainEdit)).params['reason'];
    expect(reasonOf({ kind: 'add_step', step: { ...draft, id: 'a' } })).toBe('edit_id_taken');
    expect(reasonOf({ kind: 'add_step', step: draft, depends_on: ['zz'] })).toBe('edit_dependency_missing');
    expect(reasonOf({ kind: 'add_step', step: draft, depends_on: ['?7'] })).toBe('edit_dependency_missing');
    expect(reasonOf({ kind: 'add_step', step: { ...draft, id: 'x', depends_on: ['x'] } })).toBe('edit_self');
    expect(reasonOf({ kind: 'add_step', step: draft, insert_between: { from: 'a', to: 'c' } })).toBe('edit_not_linked');
    expect(reasonOf({ kind: 'add_step', step: { ...draft, extra: () => 1 } })).toBe('edit_field');
    expect(reasonOf({ kind: 'add_step', step: { ...draft, id: 'Not An Id' } })).toBe('edit_field');
    expectAppError('STEP_NOT_FOUND', () => applyEdit(line, { kind: 'add_step', step: draft, after: 'zz' }));
  });
});

describe('remove_steps', () => {
  it('gives dependents what the removed step depended on, and is told not to', () => {
    expect(wires(applyEdit(line, { kind: 'remove_steps', ids: ['b'] }))).toEqual({ a: [], c: ['a'] });
    expect(wires(applyEdit(line, { kind: 'remove_steps', ids: ['b'], bridge: true }))).toEqual({ a: [], c: ['a'] });
    expect(wires(applyEdit(line, { kind: 'remove_steps', ids: ['b'], bridge: false }))).toEqual({ a: [], c: [] });
  });

  it('bridges several at once, each dependency once, in their place', () => {
    const chain = chainOf(step('a'), step('b', ['a']), step('c', ['b', 'a']), step('d', ['a']), step('e', ['c', 'd']));
    expect(wires(applyEdit(chain, { kind: 'remove_steps', ids: ['b', 'c'] }))).toEqual({
      a: [],
      d: ['a'],
      e: ['a', 'd'],
    });
  });

  it('through a cycle makes no step depend on itself', () => {
    const ring = chainOf(step('x'), step('a', ['c', 'x']), step('b', ['a']), step('c', ['b']));
    expect(wires(applyEdit(ring, { kind: 'remove_steps', ids: ['a', 'b'] }))).toEqual({ x: [], c: ['x'] });
    expect(wires(applyEdit(ring, { kind: 'remove_steps', ids: ['a', 'b', 'c'] }))).toEqual({ x: [] });
  });

  it('does not hand on a dependency that led nowhere', () => {
    const chain = chainOf(step('a', ['?9']), step('b', ['a']));
    expect(wires(applyEdit(chain, { kind: 'remove_steps', ids: ['a'] }))).toEqual({ b: [] });
  });

  it('refuses a step that is not there, and removes nothing then', () => {
    const error = expectAppError('STEP_NOT_FOUND', () => applyEdit(line, { kind: 'remove_steps', ids: ['a', 'zz'] }));
    expect(error.params).toEqual({ step: 'zz' });
  });
});

describe('update_step', () => {
  it('sets, changes and removes fields; required ones become empty', () => {
    const chain = chainOf(step('a', [], { notes: 'n', condition: 'c' }));
    const patch = { action: null, condition: undefined, notes: 'm', timeout_seconds: 5, own: { x: [1] } };
    expect(applyEdit(chain, { kind: 'update_step', id: 'a', patch }).steps[0]).toEqual({
      id: 'a',
      skill_name: 'skill',
      step_name: 'A',
      action: '',
      depends_on: [],
      notes: 'm',
      timeout_seconds: 5,
      own: { x: [1] },
    });
  });

  it('keeps the id and all connections when the name changes', () => {
    const next = applyEdit(line, { kind: 'update_step', id: 'a', patch: { step_name: 'Other' } });
    expect(wires(next)).toEqual(wires(line));
    expect(next.steps[1]).toBe(line.steps[1]);
  });

  it('changes dependencies, keeps one that led nowhere, and refuses a new such one', () => {
    const chain = chainOf(step('a', ['?9']), step('b'));
    expect(wires(applyEdit(chain, { kind: 'update_step', id: 'a', patch: { depends_on: ['?9', 'b'] } }))['a']).toEqual([
      '?9',
      'b',
    ]);
    expectAppError('EDIT_REFUSED', () =>
      applyEdit(chain, { kind: 'update_step', id: 'b', patch: { depends_on: ['?9'] } }),
    );
    expectAppError('CHAIN_CYCLE', () =>
      applyEdit(line, { kind: 'update_step', id: 'a', patch: { depends_on: ['c'] } }),
    );
  });

  it('refuses another id, an index, values of a wrong type, and what no file can hold', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const patches = [
      { id: 'z' },
      { index: 4 },
      { action: 5 },
      { retry_policy: { max_retries: -1 } },
      { with: { n: Number.NaN } },
      { x: cyclic },
      { x: new Date(0) },
    ];
    for (const patch of patches) {
      expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'update_step', id: 'a', patch } as ChainEdit));
    }
  });

  it('keeps a field named __proto__ a field', () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}}');
    const next = applyEdit(line, { kind: 'update_step', id: 'a', patch });
    expect(Object.keys(next.steps[0]!)).toContain('__proto__');
    expect(Object.getPrototypeOf(next.steps[0]!)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('connect and disconnect', () => {
  it('add and remove one dependency', () => {
    const joined = applyEdit(line, { kind: 'connect', from: 'a', to: 'c' });
    expect(joined.steps[2]!.depends_on).toEqual(['b', 'a']);
    expect(applyEdit(joined, { kind: 'disconnect', from: 'a', to: 'c' })).toEqual(line);
  });

  it('refuse a cycle and name it by the names of the steps', () => {
    const error = expectAppError('CHAIN_CYCLE', () => applyEdit(line, { kind: 'connect', from: 'c', to: 'a' }));
    expect(error.params).toEqual({ path: 'C → A → B → C' });
  });

  it('refuse what is joined, what is not, and a step with itself, each with its reason', () => {
    const double = expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'connect', from: 'a', to: 'b' }));
    expect(errorMessage(double.toWire(), 'en')).toBe('This edit is not possible: "B" already depends on "A"');
    expect(errorMessage(double.toWire(), 'zh-CN')).toBe('无法进行此编辑：“B”已经依赖“A”');
    const none = expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'disconnect', from: 'a', to: 'c' }));
    expect(none.params['reason']).toBe('edit_not_linked');
    const self = expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'connect', from: 'a', to: 'a' }));
    expect(self.params['reason']).toBe('edit_self');
  });

  it('mend a chain that has a cycle, and a dependency that leads nowhere', () => {
    const broken = chainOf(step('a', ['b', '?9']), step('b', ['a']), step('c'));
    const mended = applyEdit(applyEdit(broken, { kind: 'disconnect', from: 'b', to: 'a' }), {
      kind: 'disconnect',
      from: '?9',
      to: 'a',
    });
    expect(wires(mended)).toEqual({ a: [], b: ['a'], c: [] });
    expect(wires(applyEdit(broken, { kind: 'connect', from: 'b', to: 'c' }))['c']).toEqual(['b']);
  });
});

describe('move_step', () => {
  it('changes the order and nothing else', () => {
    const next = applyEdit(line, { kind: 'move_step', id: 'c', to_index: 0 });
    expect(next.steps).toEqual([line.steps[2], line.steps[0], line.steps[1]]);
    expect(applyEdit(line, { kind: 'move_step', id: 'a', to_index: 99 }).steps.at(-1)).toBe(line.steps[0]);
    expect(applyEdit(line, { kind: 'move_step', id: 'b', to_index: 1 })).toBe(line);
  });
});

describe('duplicate_steps', () => {
  it('joins the copies as the originals are joined, and to the same steps outside', () => {
    const next = applyEdit(diamond, { kind: 'duplicate_steps', ids: ['d', 'b'] });
    expect(next.steps.map((other) => [other.id, other.step_name, other.depends_on]).slice(4)).toEqual([
      ['b_2', 'B (2)', ['a']],
      ['d_2', 'D (2)', ['b_2', 'c']],
    ]);
  });

  it('counts the name on', () => {
    const twice = applyEdit(applyEdit(line, { kind: 'duplicate_steps', ids: ['a'] }), {
      kind: 'duplicate_steps',
      ids: ['a'],
    });
    expect(twice.steps.map((other) => other.step_name)).toEqual(['A', 'A (3)', 'A (2)', 'B', 'C']);
    const copyOfCopy = applyEdit(twice, { kind: 'duplicate_steps', ids: [twice.steps[2]!.id] });
    expect(copyOfCopy.steps[3]!.step_name).toBe('A (4)');
  });
});

describe('paste_steps', () => {
  it('gives new ids, keeps connections among the pasted steps and drops all others', () => {
    const next = applyEdit(line, { kind: 'paste_steps', steps: [line.steps[1]!, line.steps[2]!] });
    expect(next.steps.slice(3).map((other) => [other.step_name, other.depends_on])).toEqual([
      ['B', []],
      ['C', [next.steps[3]!.id]],
    ]);
    expect(new Set(next.steps.map((other) => other.id)).size).toBe(5);
  });

  it('refuses steps with one id, and a circle among them', () => {
    expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'paste_steps', steps: [step('x'), step('x')] }));
    expectAppError('CHAIN_CYCLE', () =>
      applyEdit(line, { kind: 'paste_steps', steps: [step('x', ['y']), step('y', ['x'])] }),
    );
  });
});

describe('update_chain and replace', () => {
  it('change the fields of the chain', () => {
    const next = applyEdit(
      { ...line, purpose: 'p' },
      { kind: 'update_chain', patch: { description: 'd', purpose: null, own: 1 } },
    );
    expect(next).toEqual({ name: 'test', description: 'd', own: 1, steps: line.steps });
    expectAppError('CHAIN_NAME_INVALID', () => applyEdit(line, { kind: 'update_chain', patch: { name: '..' } }));
    expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'update_chain', patch: { steps: [] } }));
  });

  it('keep the steps that are equal, and give the same chain when all is', () => {
    const next = applyEdit(line, { kind: 'replace', chain: { ...structuredClone(line), description: 'd' } });
    expect(next.steps[1]).toBe(line.steps[1]);
    expect(applyEdit(line, { kind: 'replace', chain: structuredClone(line) })).toBe(line);
  });

  it('refuse two steps of one id, dependencies on nothing, and a new circle', () => {
    const reasonOf = (chain: Chain): unknown =>
      expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: 'replace', chain })).params['reason'];
    expect(reasonOf(chainOf(step('a'), step('a')))).toBe('edit_double_id');
    expect(reasonOf(chainOf(step('a', ['zz'])))).toBe('edit_dependency_missing');
    expect(reasonOf({ ...line, tags: 5 } as unknown as Chain)).toBe('edit_field');
    expectAppError('CHAIN_CYCLE', () =>
      applyEdit(line, { kind: 'replace', chain: chainOf(step('a', ['b']), step('b', ['a'])) }),
    );
  });
});

describe('every edit', () => {
  it('that is none is refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (edit) => {
        expectAppError('EDIT_REFUSED', () => applyEdit(line, edit as ChainEdit));
      }),
    );
    expectAppError('EDIT_REFUSED', () => applyEdit(line, { kind: '__proto__' } as unknown as ChainEdit));
  });

  it('has a name in both languages', () => {
    for (const option of ChainEdit.options) {
      const key = editLabelKey({ kind: option.shape.kind.value });
      expect(editLabel('en', key)).toMatch(/^[a-z ]+$/);
      expect(editLabel('zh-CN', key)).toMatch(/\p{Script=Han}/u);
    }
  });

  it('takes values as deep as a file can hold, and none that could not be read again', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const attempts = (levels: number): ChainEdit[] => [
      { kind: 'update_step', id: 'a', patch: { deep: nested(levels - 3) } },
      { kind: 'add_step', step: { ...draft, deep: nested(levels - 3) } },
      { kind: 'update_chain', patch: { deep: nested(levels - 1) } },
      { kind: 'replace', chain: { ...line, deep: nested(levels - 1) } },
    ];
    for (const edit of attempts(200)) {
      const next = applyEdit(line, edit);
      expect(parseChainFile(serializeChain(next, null)).chain).toEqual(next);
    }
    for (const edit of [...attempts(201), ...attempts(100_000)])
      expectAppError('EDIT_REFUSED', () => applyEdit(line, edit));
  });

  const ids = ['a', 'b', 'c', 'd', 'e'];
  const anyChain = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 8 }).map((pairs) => {
    const all = ids.map((id) => step(id));
    for (const [from, to] of pairs) {
      const [low, high] = [Math.min(from, to), Math.max(from, to)];
      if (low !== high && !all[high]!.depends_on.includes(ids[low]!)) all[high]!.depends_on.push(ids[low]!);
    }
    return chainOf(...all);
  });

  it('that removes steps with bridging keeps who runs before whom', () => {
    fc.assert(
      fc.property(
        anyChain,
        fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }),
        (chain, removed) => {
          const next = applyEdit(chain, { kind: 'remove_steps', ids: removed });
          for (const other of next.steps) {
            const before = [...reachable(chainGraph(chain), [other.id], 'dependencies')].filter(
              (id) => !removed.includes(id),
            );
            expect([...reachable(chainGraph(next), [other.id], 'dependencies')]).toEqual(before);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves the old chain as it was, and a chain without a circle without one', () => {
    const edit: fc.Arbitrary<ChainEdit> = fc.oneof(
      fc.record({ kind: fc.constant('connect' as const), from: fc.constantFrom(...ids), to: fc.constantFrom(...ids) }),
      fc.record({
        kind: fc.constant('update_step' as const),
        id: fc.constantFrom(...ids),
        patch: fc.record({ depends_on: fc.subarray(ids) }),
      }),
      fc.record({ kind: fc.constant('duplicate_steps' as const), ids: fc.subarray(ids, { minLength: 1 }) }),
      fc.record({ kind: fc.constant('add_step' as const), step: fc.constant(draft), depends_on: fc.subarray(ids) }),
    );
    fc.assert(
      fc.property(anyChain, edit, (chain, change) => {
        const frozen = structuredClone(chain);
        try {
          const next = applyEdit(chain, change);
          expect(findCycle(chainGraph(next))).toBeNull();
          expect(ChainSchema.safeParse(next).success).toBe(true);
        } catch (thrown) {
          expect(['EDIT_REFUSED', 'CHAIN_CYCLE']).toContain((thrown as { code?: string }).code);
        }
        expect(chain).toEqual(frozen);
      }),
      { numRuns: 500 },
    );
  });
});
