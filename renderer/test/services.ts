import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { RunBatch } from '../../shared/api/contract.ts';
import { type AppEvent, contract } from '../../shared/api/contract.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import { type Api, setLink } from '../api/client.ts';
import { useActionRunner } from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { useAppInfo } from '../stores/app-info-store.ts';
import { useChains } from '../stores/chains-store.ts';
import { useJobs } from '../stores/jobs-store.ts';
import { useConnection } from '../stores/live.ts';
import { useRuns } from '../stores/runs-store.ts';
import { useSettingsStore } from '../stores/settings-store.ts';
import { useSkillsStore } from '../stores/skills-store.ts';

type Room = Exclude<keyof Api, never>;
type Answers = {
  readonly [R in Room]?: {
    readonly [C in keyof Api[R]]?: (
      input: Api[R][C] extends (input: infer Input, ...rest: never[]) => unknown ? NonNullable<Input> : never,
    ) => unknown;
  };
};

export interface TestServices {
  /** Inputs of the calls made so far, by `room.call`. */
  calls(name: string): readonly unknown[];
  /** Other answers from now on. */
  answer(answers: Answers): void;
}

/** What all of them have in common; their values differ. */
interface EmptyableStore {
  setState(nothing: { value: null; error: null; loading: false }): void;
}

const stores: readonly EmptyableStore[] = [
  useActions,
  useAppInfo,
  useChains,
  useJobs,
  useRuns,
  useSettingsStore,
  useSkillsStore,
];

/**
 * Stands in for the services at the edge of the window: what the window asks and what it is answered must fit the
 * contract, as over a real connection. A call without an answer fails the test. Every store starts empty.
 */
export function startServices(answers: Answers): TestServices {
  const answering = new Map<string, (input: never) => unknown>();
  const made = new Map<string, unknown[]>();
  const answer = (more: Answers) => {
    for (const [room, calls] of Object.entries(more)) {
      for (const [call, give] of Object.entries(calls)) answering.set(`${room}.${call}`, give as never);
    }
  };
  answer(answers);
  for (const store of stores) store.setState({ value: null, error: null, loading: false });
  useActionRunner.setState({ asked: null, unseen: [] });
  useConnection.setState({ state: 'connecting', error: null });
  setLink({
    call: async (path, input) => {
      const name = path.join('.');
      made.set(name, [...(made.get(name) ?? []), input]);
      const { inputSchema, outputSchema } = schemasOf(path);
      const give = answering.get(name);
      if (give === undefined) throw new AppError('INTERNAL', { detail: `The test has no answer to ${name}.` });
      inputSchema?.parse(input);
      const given = await give(input as never);
      return isStream(given) ? given : (outputSchema?.parse(given) ?? given);
    },
  });
  onTestFinished(() => setLink(null));
  return { calls: (name) => made.get(name) ?? [], answer };
}

export interface TestStream<Part> extends AsyncIterable<Part> {
  /** Hands a part to whoever reads. */
  send(part: Part): void;
  /** Ends as a server that closes the connection does. */
  end(): void;
  /** Breaks off. */
  fail(error: Error): void;
}

/** A stream that a test feeds: of changes, or of one run. */
export function testStream<Part extends AppEvent | RunBatch>(): TestStream<Part> {
  const waiting: { readonly give: (result: IteratorResult<Part>) => void; readonly refuse: (error: Error) => void }[] =
    [];
  const ready: Part[] = [];
  let over: { readonly error: Error | null } | null = null;
  const settle = () => {
    while (waiting.length > 0 && (ready.length > 0 || over !== null)) {
      const { give, refuse } = waiting.shift()!;
      const part = ready.shift();
      if (part !== undefined) give({ done: false, value: part });
      else if (over?.error) refuse(over.error);
      else give({ done: true, value: undefined });
    }
  };
  return {
    send: (part) => {
      ready.push(part);
      settle();
    },
    end: () => {
      over = { error: null };
      settle();
    },
    fail: (error) => {
      over = { error };
      settle();
    },
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((give, refuse) => {
          waiting.push({ give, refuse });
          settle();
        }),
      return: async () => ({ done: true, value: undefined }),
    }),
  };
}

interface Schemas {
  readonly inputSchema?: z.ZodType;
  readonly outputSchema?: z.ZodType;
}

function schemasOf(path: readonly string[]): Schemas {
  const [room = '', call = ''] = path;
  const procedure = (contract as unknown as Record<string, Record<string, { '~orpc': Schemas }>>)[room]?.[call];
  if (procedure === undefined) throw new Error(`The contract has no ${path.join('.')}.`);
  return procedure['~orpc'];
}

function isStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
