import { setMaxListeners } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { toAppError } from '../../../shared/errors/app-error.ts';
import { decideOn, needsExecutor, type RunInput, type TryResult } from '../../../shared/run/decide.ts';
import type { LogChunk, Question, RunEvent, RunHeader } from '../../../shared/run/event.ts';
import { foldRun, initialRunState, RunFold, type RunState } from '../../../shared/run/run-state.ts';
import { fillStep, stepScope } from '../../../shared/run/step-scope.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import type { Log } from '../log.ts';
import { endMarked } from '../processes/end-marked.ts';
import { type RunProcessOptions, runProcess } from '../processes/run-process.ts';
import { Secrets } from '../processes/secrets.ts';
import type { Executor, StepContext } from './executors/executor.ts';
import { failedBy } from './executors/program-result.ts';
import type { JournalWriter } from './journal-writer.ts';
import { parseJournal } from './read-journal.ts';
import { RunFeed } from './run-feed.ts';
import type { RunFolder } from './run-folder.ts';
import { WholeOutputs } from './whole-outputs.ts';

/** What a step's program printed, as far as later steps can read it. */
const keptCharacters = 4 * 1024 * 1024;

/** Calls back after a time; returns the way to call it off. */
export type StartTimer = (callback: () => void, ms: number) => () => void;

export interface LiveRunOptions {
  readonly header: RunHeader;
  readonly chain: Chain;
  /** Values that must appear nowhere; more may become known. */
  readonly secrets?: readonly string[];
  /** As an interrupted run was left; absent = before the first event. */
  readonly state?: RunState | undefined;
  readonly folder: RunFolder;
  readonly journal: JournalWriter;
  readonly executors: Readonly<Record<string, Executor>>;
  readonly settings: () => Settings;
  readonly now: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
  /** After every change, when it is in the journal. */
  readonly onChange: (run: LiveRun) => void;
}

/** Events after which the journal is on the disk before anything goes on. */
const synced: ReadonlySet<RunEvent['kind']> = new Set([
  'run_started',
  'question_asked',
  'question_answered',
  'cancel_requested',
  'run_ended',
  'run_interrupted',
  'run_resumed',
]);

/**
 * A run of this process: appends what `decide` says to the journal and performs it. It decides nothing itself. A
 * journal that can not be written any more stops the run: what is not written must not happen.
 */
export class LiveRun {
  readonly header: RunHeader;
  readonly feed = new RunFeed();
  /** When the last event is written and no process is left, or the journal failed. Never rejects. */
  readonly ended: Promise<void>;
  readonly #options: LiveRunOptions;
  readonly #fold: RunFold;
  readonly #outputs: WholeOutputs;
  readonly #stop = new AbortController();
  readonly #force = new AbortController();
  readonly #tries = new Set<Promise<void>>();
  readonly #timers = new Set<() => void>();
  /** The state that was last asked for; null when something has happened since. */
  #snapshot: RunState | null = null;
  readonly #secrets = new Secrets();
  #resolveEnded: () => void = () => undefined;
  #isStopping = false;
  #isClosed = false;
  #problem: Error | null = null;
  #lastAt = 0;
  #started = 0;
  #firstPid = 0;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    this.header = options.header;
    this.#outputs = new WholeOutputs(options.folder.outputs);
    this.#secrets.add(options.secrets ?? []);
    const state = options.state ?? initialRunState(options.header, options.chain);
    this.#fold = new RunFold(state, (output) => this.#outputs.read(output));
    this.#lastAt = state.ended_at ?? 0;
    // Every try listens, and that is as many as the settings let run at once.
    setMaxListeners(0, this.#stop.signal, this.#force.signal);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get state(): RunState {
    this.#snapshot ??= this.#fold.snapshot();
    return this.#snapshot;
  }

  /** Why the run could not go on; null when all is well. */
  get problem(): Error | null {
    return this.#problem;
  }

  start(): void {
    this.#handle({ kind: 'start' });
  }

  /** Goes on with a run that was interrupted. Errors: RUN_ENDED. */
  resume(): void {
    this.#handle({ kind: 'resume' });
    // The questions that were open are open again, and their time begins anew.
    for (const question of this.#fold.now.questions.values()) this.#startQuestionTimer(question);
  }

  /** Errors: QUESTION_NOT_FOUND, ANSWER_INVALID, ANSWER_FIELD_INVALID, RUN_ENDED. */
  answer(questionId: string, answer: string, note: string | undefined): void {
    const input = { kind: 'answer', question_id: questionId, answer } as const;
    this.#handle(note === undefined ? input : { ...input, note });
  }

  /** Stops the run; `force` spares its processes no grace, also when it is stopping already. */
  cancel(force: boolean): void {
    if (force) this.#force.abort();
    this.#handle({ kind: 'cancel' });
  }

  /** Ends the run's processes and leaves it as one whose program has ended: it may be taken up again. */
  async interrupt(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      // Tries that end because of this must not be taken for failures.
      this.#isClosed = true;
      const proof = await this.#stopProcesses();
      this.#append([{ kind: 'processes_stopped', ...proof }, { kind: 'run_interrupted' }]);
      this.#close();
    }
    await this.ended;
  }

  #handle(input: RunInput): void {
    if (this.#isClosed || this.#problem !== null) return;
    const events = decideOn(this.#fold, input, this.#at());
    if (events.length === 0 || !this.#write(events)) return;
    this.#snapshot = null;
    this.#commit(events);
  }

  #commit(events: readonly RunEvent[]): void {
    this.feed.push(events, []);
    this.#options.onChange(this);
    for (const event of events) this.#perform(event);
    if (this.#fold.now.ending !== null && !this.#isStopping) {
      this.#isStopping = true;
      void this.#finish();
    }
  }

  #perform(event: RunEvent): void {
    if (event.kind === 'step_started') this.#startTry(event.step_id, event.try);
    else if (event.kind === 'question_asked') this.#startQuestionTimer(event.question);
    else if (event.kind === 'retry_scheduled') {
      this.#startTimer({ kind: 'retry_due', step_id: event.step_id, try: event.try }, event.delay_ms);
    }
  }

  #startQuestionTimer({ id, input }: Question): void {
    if (input?.timeout_ms) this.#startTimer({ kind: 'question_due', question_id: id }, input.timeout_ms);
  }

  #startTimer(input: RunInput, ms: number): void {
    const callOff = this.#options.startTimer(() => {
      this.#timers.delete(callOff);
      this.#handle(input);
    }, ms);
    this.#timers.add(callOff);
  }

  #startTry(stepId: string, number: number): void {
    const kind = this.#fold.about(stepId)!.kind;
    // A question is in the journal already, the children of a fan-out have events of their own.
    if (!needsExecutor(kind) || this.#isStopping) return;
    const done = this.#carryOut(stepId, kind, number).then((result) => {
      this.#tries.delete(done);
      this.#handle({ kind: 'try_ended', step_id: stepId, try: number, result });
    });
    this.#tries.add(done);
  }

  /** How the try ended, as the journal may hold it: nothing secret in it, a large output in a file of its own. */
  async #carryOut(stepId: string, kind: string, number: number): Promise<TryResult> {
    const executor = this.#options.executors[kind];
    try {
      if (executor !== undefined) return this.#kept(await executor(this.#context(stepId, number)));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL') this.#options.log.error('a step failed inside the program', { error: thrown });
      return this.#secrets.hiddenIn(failedBy(thrown));
    }
    return {
      kind: 'failed',
      error: { class: 'other', code: 'KIND_UNKNOWN', message: kind, hint: null, exit_code: null },
    };
  }

  #kept(result: TryResult): TryResult {
    const hidden = this.#secrets.hiddenIn(result);
    if (hidden.kind !== 'succeeded') return hidden;
    const output = this.#outputs.keep(hidden.output);
    return output === hidden.output ? hidden : { ...hidden, output };
  }

  #context(stepId: string, number: number): StepContext {
    const { chain, folder } = this.#options;
    const about = this.#fold.about(stepId)!;
    const state = this.#fold.step(stepId)!;
    const filled = fillStep(about.step, stepScope(this.#fold, stepId));
    const step: Step = {
      ...filled,
      id: stepId,
      ...(state.skill === null ? {} : { skill_name: state.skill }),
    };
    const place = this.#fold.outline.steps.get(state.child?.of ?? stepId)!;
    const before = place.primary === null ? place : this.#fold.outline.steps.get(place.primary)!;
    const stepFolder = folder.stepFolder(step.id);
    const settings = this.#options.settings();
    return {
      step,
      chain,
      try: number,
      settings,
      upstream: before.dependencies.flatMap((id) => {
        const output = this.#fold.step(id)?.output ?? null;
        const other = this.#fold.outline.steps.get(id)?.step;
        if (output === null || other === undefined) return [];
        return [{ step: other, output: { truncated: output.truncated, ...this.#outputs.read(output) } }];
      }),
      stepFolder,
      workFolder: folder.work,
      signal: this.#stop.signal,
      ownTimeoutMs: step.timeout_seconds === undefined ? null : step.timeout_seconds * 1000,
      write: (stream, text) => this.#writeLog(step.id, number, stream, this.#secrets.hidden(text)),
      hide: (values) => this.#secrets.add(values),
      run: async ({ shown, env, secrets = [], ...program }) => {
        mkdirSync(stepFolder, { recursive: true });
        const logFile = folder.logFile(step.id, number);
        this.#secrets.add(secrets);
        const line = `$ ${shown.map(quoted).join(' ')}\n`;
        this.#writeLog(step.id, number, 'engine', this.#secrets.hidden(line));
        return await runProcess({
          ...program,
          secrets: this.#secrets.values,
          keepCharacters: keptCharacters,
          env: {
            ...env,
            SKILL_SUB_RUN_ID: this.header.run_id,
            SKILL_SUB_STEP_ID: step.id,
            SKILL_SUB_TRY: String(number),
            SKILL_SUB_STEP_FOLDER: stepFolder,
          },
          graceMs: settings.stop_grace_seconds * 1000,
          signal: this.#stop.signal,
          force: this.#force.signal,
          logFile,
          onStart: (pid) => {
            this.#started += 1;
            this.#firstPid ||= pid;
          },
          onOutput: (stream, text) => this.#output({ step_id: step.id, try: number, stream, text }),
        } satisfies RunProcessOptions);
      },
    };
  }

  #writeLog(stepId: string, number: number, stream: LogChunk['stream'], text: string): void {
    const file = this.#options.folder.logFile(stepId, number);
    try {
      appendFileSync(file, text, { mode: 0o600 });
    } catch (thrown) {
      this.#options.log.warn('the log of a try can not be written', { file, error: thrown });
    }
    this.#output({ step_id: stepId, try: number, stream, text });
  }

  #output(chunk: LogChunk): void {
    this.feed.push([], [chunk]);
  }

  async #finish(): Promise<void> {
    const proof = await this.#stopProcesses();
    this.#isClosed = true;
    const events = this.#problem === null ? decideOn(this.#fold, { kind: 'stopped', ...proof }, this.#at()) : [];
    if (events.length > 0 && this.#write(events)) {
      this.#snapshot = null;
      this.feed.push(events, []);
      this.#options.onChange(this);
    }
    this.#close();
  }

  /** Returns when no process of the run runs any more, with the proof. */
  async #stopProcesses(): Promise<{ started: number; left: number; duration_ms: number }> {
    const begin = performance.now();
    this.#stop.abort();
    for (const callOff of this.#timers) callOff();
    this.#timers.clear();
    await Promise.all(this.#tries);
    const left = this.#started === 0 ? 0 : (await endMarked(runMark(this.header.run_id), this.#firstPid)).left;
    return { started: this.#started, left, duration_ms: Math.round(performance.now() - begin) };
  }

  #append(payloads: readonly Record<string, unknown>[]): void {
    if (this.#problem !== null) return;
    const at = this.#at();
    const events = payloads.map(
      (payload, index) => ({ seq: this.#fold.now.last_seq + 1 + index, at, ...payload }) as unknown as RunEvent,
    );
    if (!this.#write(events)) return;
    for (const event of events) this.#fold.apply(event);
    this.#snapshot = null;
    this.feed.push(events, []);
    this.#options.onChange(this);
  }

  /** False when the journal could not take the events; the run then stops without them. */
  #write(events: readonly RunEvent[]): boolean {
    const sync = this.#options.settings().sync_every_event || events.some((event) => synced.has(event.kind));
    try {
      this.#options.journal.append(events, sync);
      return true;
    } catch (thrown) {
      this.#problem = toAppError(thrown);
      this.#takeBack();
      this.#options.log.error('the journal of a run can not be written', { run: this.header.run_id, error: thrown });
      this.#force.abort();
      if (!this.#isStopping) {
        this.#isStopping = true;
        void this.#stopProcesses().then(() => this.#close());
      }
      return false;
    }
  }

  /** What could not be written did not happen: the state is the one that the journal tells of. */
  #takeBack(): void {
    const { header, chain, folder } = this.#options;
    try {
      const { events } = parseJournal(readFileSync(folder.journal), folder.journal, header.run_id);
      this.#snapshot = foldRun(header, chain, events);
    } catch (thrown) {
      this.#options.log.error('the journal of a run can not be read', { run: header.run_id, error: thrown });
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#options.journal.close();
    this.feed.end(this.#problem);
    this.#resolveEnded();
  }

  /** The clock of the machine may be set back; the journal's never goes back. */
  #at(): number {
    this.#lastAt = Math.max(this.#lastAt, this.#options.now());
    return this.#lastAt;
  }
}

/** What stands in the environment of every process of a run. */
export function runMark(runId: string): string {
  return `SKILL_SUB_RUN_ID=${runId}`;
}

function quoted(part: string): string {
  return /^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part);
}
