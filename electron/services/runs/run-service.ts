import { mkdirSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SkillActions } from '../../../shared/action/manifest.ts';
import type { RunBatch } from '../../../shared/api/contract.ts';
import type { Chain, ChainProblem } from '../../../shared/chain/chain.ts';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { chainGraph } from '../../../shared/chain/chain-graph.ts';
import { problemText } from '../../../shared/chain/chain-texts.ts';
import { checkChain, mergeProblems } from '../../../shared/chain/check-chain.ts';
import { AppError, toAppError } from '../../../shared/errors/app-error.ts';
import { findCycle } from '../../../shared/graph/find-cycle.ts';
import { checkAnswer } from '../../../shared/run/decide.ts';
import type { RunEvent, RunHeader, RunSummary } from '../../../shared/run/event.ts';
import { previewRerun, type RerunRow, type RerunScope, reuseOf } from '../../../shared/run/reuse.ts';
import { foldRun, hasEnded, initialRunState, type RunState, summarize } from '../../../shared/run/run-state.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import type { SkillScan } from '../../../shared/skill/skill.ts';
import { agentNames } from '../agents/agent-profiles.ts';
import { machineFacts } from '../chains/chain-facts.ts';
import { errnoOf, writeError } from '../files/file-error.ts';
import { withFileLock } from '../files/file-lock.ts';
import type { Log } from '../log.ts';
import { environmentSecrets, type SecretStore } from '../models/model-endpoint.ts';
import type { Tools } from '../tools/tool-registry.ts';
import { type ActionSource, createActionExecutor } from './executors/action.ts';
import { createAgentExecutor } from './executors/agent.ts';
import type { Executor } from './executors/executor.ts';
import { createLlmChatExecutor } from './executors/llm-chat.ts';
import { createLlmClassifyExecutor } from './executors/llm-classify.ts';
import { createSkillExecExecutor, type SkillSource } from './executors/skill-exec.ts';
import { createToolCallExecutor } from './executors/tool-call.ts';
import { type RunCommand, sendCommand, watchInbox } from './inbox.ts';
import { JournalWriter } from './journal-writer.ts';
import { LiveRun, type StartTimer } from './live-run.ts';
import { readLogPart } from './read-log.ts';
import { makeRunId, type RunFolder } from './run-folder.ts';
import { giveSignOfLife, type Owner, ownProcess, removeOwner, signOfLifeMs, writeOwner } from './run-owner.ts';
import { RunStore, type StoredRun } from './run-store.ts';
import { skillFingerprints } from './skill-fingerprints.ts';
import { type CheckedInputs, checkStartInputs, missingSecrets, type StartInputs } from './start-inputs.ts';
import { watchElsewhere } from './watch-elsewhere.ts';

export type RunSource = RunHeader['source'];

/** Carries out chains and keeps what happened. This implementation: processes of this machine, journals in files. */
export interface RunBackend {
  /** Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN, CHAIN_CYCLE, CHAIN_INVALID, FILE_UNWRITABLE. */
  start(request: StartRequest): Promise<{ run_id: string }>;
  /**
   * Goes on with an interrupted run: no finished step is repeated, and a person is asked about a step that was in the
   * middle and is not known to be repeatable. `inputs`: sensitive values, which stand in no file. Errors: RUN_NOT_FOUND,
   * RUN_ENDED, RUN_ELSEWHERE, RUN_JOURNAL_BROKEN, INPUT_INVALID (a sensitive input is missing).
   */
  resume(request: { run_id: string; inputs?: Readonly<Record<string, unknown>> | undefined }): Promise<void>;
  /** What a run of a part of the chain would reuse of an earlier run. Errors: RUN_NOT_FOUND, STEP_NOT_FOUND. */
  previewRerun(request: RerunRequest): Promise<RerunRow[]>;
  /** Starts it. Errors: those of `start` and `previewRerun`. */
  rerun(request: RerunRequest): Promise<{ run_id: string }>;
  /** Newest first. */
  list(filter?: { chain_name?: string | undefined; limit?: number | undefined }): Promise<RunSummary[]>;
  /** Errors: RUN_NOT_FOUND, RUN_JOURNAL_BROKEN. */
  get(runId: string): Promise<{ header: RunHeader; events: RunEvent[]; damaged: boolean }>;
  /** Events after `afterSeq` (-1: all) and live output, at most ten batches a second; ends with the run. */
  watch(runId: string, afterSeq?: number, signal?: AbortSignal): AsyncIterable<RunBatch>;
  /** Errors: RUN_NOT_FOUND, RUN_ENDED, QUESTION_NOT_FOUND, ANSWER_INVALID, RUN_ELSEWHERE (its owner does not react). */
  answer(request: { run_id: string; question_id: string; answer: string; note?: string | undefined }): Promise<void>;
  /** Returns when the run is being stopped, not when it has ended. Errors: RUN_NOT_FOUND, RUN_ENDED, RUN_ELSEWHERE. */
  cancel(runId: string, options?: { force?: boolean | undefined }): Promise<void>;
  /** Part of a try's output; `offset` in bytes, below 0 from the end. Errors: RUN_NOT_FOUND, STEP_NOT_FOUND. */
  log(request: {
    run_id: string;
    step_id: string;
    try: number;
    offset?: number | undefined;
  }): Promise<{ text: string; offset: number; size: number }>;
  /** Errors: RUN_NOT_FOUND, INPUT_INVALID (it is still going on). */
  delete(runId: string): Promise<void>;
}

export interface StartRequest extends StartInputs {
  readonly chain_name: string;
  readonly source?: RunSource | undefined;
}

export interface RerunRequest extends StartInputs {
  /** The earlier run, of the chain as it is now. */
  readonly run_id: string;
  readonly scope: RerunScope;
  readonly source?: RunSource | undefined;
}

export interface RunService extends RunBackend {
  /** Marks the runs of dead processes as interrupted; to be called once at the start. Returns their rows. */
  recoverInterrupted(): Promise<RunSummary[]>;
  /** Called with a run's row when it changed, at most ten times a second a run; runs of other processes too. */
  onChange(callback: (run: RunSummary) => void): () => void;
  /** The row of the run when it has ended. Errors: RUN_NOT_FOUND, and what made the run impossible to go on. */
  waitForEnd(runId: string): Promise<RunSummary>;
  /** Ends the processes of this service's runs, which become interrupted. */
  dispose(): Promise<void>;
}

export interface RunServiceOptions {
  readonly home: string;
  readonly chains: {
    read(name: string): Promise<{ chain: Chain; text: string; revision: string; problems: readonly ChainProblem[] }>;
    countExecution(name: string, atMs: number): Promise<unknown>;
  };
  readonly skills: SkillSource & { list(): Promise<SkillScan> };
  readonly actions: ActionSource & { list(): Promise<SkillActions[]> };
  readonly tools: Pick<Tools, 'call'>;
  readonly settings: { values(): Settings };
  /** Where the keys of models are kept. Absent: this program's environment. */
  readonly secrets?: SecretStore;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** Absent: the system's timers. */
  readonly startTimer?: StartTimer;
}

const takenWaitMs = 5000;
const changePauseMs = 100;
const lookMs = 400;

/** Runs on this machine. Call `recoverInterrupted` once, `dispose` at the end. */
export function createRunService(options: RunServiceOptions): RunService {
  return new LocalRuns(options);
}

class LocalRuns implements RunService {
  readonly #options: RunServiceOptions;
  readonly #store: RunStore;
  readonly #executors: Readonly<Record<string, Executor>>;
  readonly #live = new Map<string, LiveRun>();
  readonly #callbacks = new Set<(run: RunSummary) => void>();
  readonly #announced = new Map<string, NodeJS.Timeout>();
  /** What goes on after a run has ended: its summary, its count, the retention. */
  readonly #after = new Map<string, Promise<void>>();
  /** The rows that the listeners know. */
  readonly #lastTold = new Map<string, RunSummary>();
  #signsOfLife: NodeJS.Timeout | null = null;
  #stopWatchingElsewhere: (() => void) | null = null;
  #isDisposed = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#store = new RunStore(options.home, options.now, options.log);
    const { secrets = environmentSecrets() } = options;
    this.#executors = {
      agent: createAgentExecutor(options.skills, secrets),
      action: createActionExecutor(options.actions),
      skill_exec: createSkillExecExecutor(options.skills),
      tool_call: createToolCallExecutor(options.tools),
      llm_chat: createLlmChatExecutor({ secrets }),
      llm_classify: createLlmClassifyExecutor({ secrets }),
    };
  }

  async start(request: StartRequest): Promise<{ run_id: string }> {
    const { chains } = this.#options;
    const file = await chains.read(request.chain_name);
    await this.#check(file.chain, file.problems);
    return await this.#startNew(file, checkStartInputs(file.chain, request), request.source, undefined);
  }

  async resume(request: { run_id: string; inputs?: Readonly<Record<string, unknown>> | undefined }): Promise<void> {
    const { run_id: runId } = request;
    if (this.#live.has(runId)) throw new AppError('RUN_ELSEWHERE', { id: runId, pid: process.pid });
    const owner = await this.#store.livingOwner(runId);
    if (owner !== null) throw new AppError('RUN_ELSEWHERE', { id: runId, pid: owner.pid });
    await this.#store.recover(runId);
    const folder = this.#store.at(runId);
    const me = await ownProcess();
    const run = await withFileLock(folder.journal, async () => {
      // Looked at again under the lock: of two that resume at the same time one finds it taken.
      const taken = await this.#store.livingOwner(runId);
      if (taken !== null || this.#live.has(runId)) {
        throw new AppError('RUN_ELSEWHERE', { id: runId, pid: taken?.pid ?? process.pid });
      }
      const stored = await this.#store.read(runId);
      if (stored.state.state !== 'interrupted') throw new AppError('RUN_ENDED', { id: runId });
      const { header } = stored;
      const { chain } = parseChainFile(header.chain_text);
      const inputs = { ...header.inputs };
      for (const name of missingSecrets(header)) {
        const value = request.inputs?.[name];
        if (value === undefined) throw secretMissing(name);
        inputs[name] = value;
      }
      const checked = checkStartInputs(chain, { ...header, inputs });
      writeOwner(folder.owner, me);
      const journal = JournalWriter.reopen(folder.journal, stored.whole_size);
      // The outline of the state knows the real values; the events are the same.
      const state = foldRun({ ...header, inputs: { ...checked.inputs } }, chain, stored.events);
      return this.#launch(header, chain, folder, journal, checked.secrets, state);
    });
    run.resume();
  }

  async previewRerun(request: RerunRequest): Promise<RerunRow[]> {
    return (await this.#planRerun(request)).rows;
  }

  async rerun(request: RerunRequest): Promise<{ run_id: string }> {
    const { file, checked, rows, before } = await this.#planRerun(request);
    await this.#check(file.chain, file.problems);
    return await this.#startNew(file, checked, request.source, { before, rows });
  }

  async #planRerun(request: RerunRequest) {
    const before = await this.#store.read(request.run_id);
    const { chain: chainBefore } = parseChainFile(before.header.chain_text);
    const file = await this.#options.chains.read(before.header.chain_name);
    const { scope } = request;
    if (scope.kind !== 'failed' && !file.chain.steps.some(({ id }) => id === scope.step_id)) {
      throw new AppError('STEP_NOT_FOUND', { step: scope.step_id });
    }
    const known = Object.entries(before.header.inputs ?? {}).filter(([, value]) => value !== '***');
    const inputs = { ...Object.fromEntries(known), ...request.inputs };
    const input = request.input ?? before.header.input;
    const answers = request.answers ?? before.header.answers;
    const checked = checkStartInputs(file.chain, { input, inputs, answers });
    const rows = previewRerun(
      {
        before: { header: before.header, chain: chainBefore, state: before.state },
        chain: file.chain,
        input: input ?? '',
        inputs: checked.kept.inputs ?? {},
        skills: await skillFingerprints(file.chain, this.#options.skills),
      },
      scope,
    );
    return { file, checked, rows, before };
  }

  async #startNew(
    { chain, text, revision }: { chain: Chain; text: string; revision: string },
    checked: CheckedInputs,
    source: RunSource | undefined,
    rerun: { before: StoredRun; rows: readonly RerunRow[] } | undefined,
  ): Promise<{ run_id: string }> {
    const { settings, now, newId, skills } = this.#options;
    const owner = await ownProcess();
    const fingerprints = await skillFingerprints(chain, skills);
    if (this.#isDisposed) throw new AppError('CANCELLED');
    const { default_max_retries, max_parallel } = settings.values();
    const header: RunHeader = {
      kind: 'run_header',
      version: 1,
      run_id: makeRunId(now(), newId()),
      chain_name: chain.name,
      chain_text: text,
      chain_revision: revision,
      settings: { default_max_retries, max_parallel },
      ...checked.kept,
      ...(rerun === undefined ? {} : { reuse: reuseOf(rerun.before.state, rerun.rows) }),
      ...(Object.keys(fingerprints).length === 0 ? {} : { skills: fingerprints }),
      started_at: new Date(now()).toISOString(),
      source: source ?? 'api',
      process: { pid: process.pid, started_at_ms: Math.round(performance.timeOrigin), host: hostname() },
    };
    const folder = this.#store.at(header.run_id);
    const journal = createFiles(folder, owner, header);
    if (rerun !== undefined) await copyOutputs(this.#store.at(rerun.before.header.run_id), folder);
    const state = initialRunState({ ...header, inputs: { ...checked.inputs } }, chain);
    this.#launch(header, chain, folder, journal, checked.secrets, state).start();
    return { run_id: header.run_id };
  }

  #launch(
    header: RunHeader,
    chain: Chain,
    folder: RunFolder,
    journal: JournalWriter,
    secrets: readonly string[],
    state: RunState,
  ): LiveRun {
    const { settings, now, log } = this.#options;
    const run = new LiveRun({
      header,
      chain,
      state,
      folder,
      journal,
      secrets,
      executors: this.#executors,
      settings: () => settings.values(),
      now,
      startTimer: this.#options.startTimer ?? systemTimer,
      log,
      onChange: (changed) => this.#announce(changed),
    });
    this.#live.set(header.run_id, run);
    this.#giveSignsOfLife();
    const stopInbox = watchInbox(
      folder.inbox,
      (command) => this.#obey(run, command),
      (file, error) => log.warn('a command to a run can not be read', { file, error }),
    );
    const after = run.ended.then(async () => {
      stopInbox();
      await this.#afterEnd(run);
    });
    this.#after.set(header.run_id, after);
    void after.finally(() => this.#after.delete(header.run_id));
    return run;
  }

  async list(filter: { chain_name?: string | undefined; limit?: number | undefined } = {}): Promise<RunSummary[]> {
    const rows: RunSummary[] = [];
    const limit = filter.limit ?? Number.POSITIVE_INFINITY;
    for (const id of await this.#store.ids()) {
      if (rows.length >= limit) break;
      const row = await this.#summary(id);
      if (row === null || (filter.chain_name !== undefined && row.chain_name !== filter.chain_name)) continue;
      rows.push(row);
    }
    return rows;
  }

  async get(runId: string): Promise<{ header: RunHeader; events: RunEvent[]; damaged: boolean }> {
    const { header, events, damaged } = await this.#store.read(runId);
    return { header, events: [...events], damaged };
  }

  async *watch(runId: string, afterSeq = -1, signal?: AbortSignal): AsyncGenerator<RunBatch, void, void> {
    const own = this.#live.get(runId);
    if (own !== undefined) {
      // Subscribed before reading: what comes meanwhile is in the feed, what was before is in the file.
      const reader = own.feed.subscribe();
      try {
        const upTo = own.state.last_seq;
        const { events } = await this.#store.read(runId);
        const start = events.filter((event) => event.seq > afterSeq && event.seq <= upTo);
        yield* reader.batches(start, signal);
      } finally {
        reader.leave();
      }
      return;
    }
    const run = await this.#store.read(runId);
    const events = run.events.filter((event) => event.seq > afterSeq);
    if (hasEnded(run.state)) {
      yield { events, logs: [], dropped_bytes: 0, end: true };
      return;
    }
    yield* watchElsewhere(this.#store, run, events, signal);
  }

  async answer(request: {
    run_id: string;
    question_id: string;
    answer: string;
    note?: string | undefined;
  }): Promise<void> {
    const { run_id, question_id, answer, note } = request;
    const own = this.#live.get(run_id);
    if (own !== undefined) {
      own.answer(question_id, answer, note);
      return;
    }
    const before = await this.#store.read(run_id);
    if (hasEnded(before.state)) throw new AppError('RUN_ENDED', { id: run_id });
    const question = before.state.questions.get(question_id);
    if (question === undefined) throw new AppError('QUESTION_NOT_FOUND', { id: question_id });
    checkAnswer(question, answer);
    await this.#send(run_id, { kind: 'answer', question_id, answer, ...(note === undefined ? {} : { note }) });
    const { events } = await this.#store.read(run_id);
    const given = events.find((event) => event.kind === 'question_answered' && event.question_id === question_id);
    if (given?.kind !== 'question_answered' || given.answer !== answer) {
      throw new AppError('QUESTION_NOT_FOUND', { id: question_id });
    }
  }

  async cancel(runId: string, options: { force?: boolean | undefined } = {}): Promise<void> {
    const force = options.force === true;
    const own = this.#live.get(runId);
    if (own !== undefined) {
      own.cancel(force);
      return;
    }
    const { state } = await this.#store.read(runId);
    if (hasEnded(state)) throw new AppError('RUN_ENDED', { id: runId });
    await this.#send(runId, { kind: 'cancel', force });
  }

  async log(request: { run_id: string; step_id: string; try: number; offset?: number | undefined }) {
    const folder = this.#store.at(request.run_id);
    const file = folder.logFile(request.step_id, request.try);
    const part = await readLogPart(file, request.offset ?? 0);
    if (part !== null) return part;
    if ((await this.#store.summary(request.run_id)) === null)
      throw new AppError('RUN_NOT_FOUND', { id: request.run_id });
    return { text: '', offset: 0, size: 0 };
  }

  async delete(runId: string): Promise<void> {
    const isGoingOn = this.#live.has(runId) || (await this.#store.livingOwner(runId)) !== null;
    if (isGoingOn) {
      const params = { detail: 'the run is still going on', 'detail:zh-CN': '运行尚未结束' };
      throw new AppError('INPUT_INVALID', params, { field: 'run_id' });
    }
    await this.#store.remove(runId);
  }

  async recoverInterrupted(): Promise<RunSummary[]> {
    await this.#store.removeLeftovers();
    const interrupted: RunSummary[] = [];
    for (const id of await this.#store.ids()) {
      if (this.#live.has(id)) continue;
      try {
        const summary = await this.#store.recover(id);
        if (summary !== null) interrupted.push(summary);
      } catch (thrown) {
        this.#options.log.warn('a run can not be marked as interrupted', { run: id, error: thrown });
      }
    }
    for (const summary of interrupted) this.#tell(summary);
    return interrupted;
  }

  onChange(callback: (run: RunSummary) => void): () => void {
    this.#callbacks.add(callback);
    this.#stopWatchingElsewhere ??= this.#watchOthers();
    return () => {
      this.#callbacks.delete(callback);
      if (this.#callbacks.size > 0) return;
      this.#stopWatchingElsewhere?.();
      this.#stopWatchingElsewhere = null;
    };
  }

  async waitForEnd(runId: string): Promise<RunSummary> {
    const own = this.#live.get(runId);
    if (own !== undefined) {
      await own.ended;
      await this.#after.get(runId);
      if (own.problem !== null) throw own.problem;
      return summarize(own.header, own.state);
    }
    for await (const batch of this.watch(runId)) if (batch.end) break;
    const summary = await this.#store.summary(runId);
    if (summary === null) throw new AppError('RUN_NOT_FOUND', { id: runId });
    return summary;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#stopWatchingElsewhere?.();
    this.#stopWatchingElsewhere = null;
    await Promise.all([...this.#live.values()].map((run) => run.interrupt()));
    await Promise.all(this.#after.values());
    for (const timer of this.#announced.values()) clearTimeout(timer);
    if (this.#signsOfLife !== null) clearInterval(this.#signsOfLife);
    this.#callbacks.clear();
  }

  async #check(chain: Chain, found: readonly ChainProblem[]): Promise<void> {
    const cycle = findCycle(chainGraph(chain));
    if (cycle !== null) {
      const names = new Map(chain.steps.map((step) => [step.id, step.step_name || step.id]));
      throw new AppError('CHAIN_CYCLE', { path: cycle.map((id) => names.get(id) ?? id).join(' → ') });
    }
    const { skills, actions, settings } = this.#options;
    const [scan, manifests] = await Promise.all([skills.list(), actions.list()]);
    const values = settings.values();
    const checked = checkChain(chain, machineFacts(scan, manifests, values, agentNames(values)));
    const errors = mergeProblems(found, checked).filter((one) => one.severity === 'error');
    const texts = (locale: 'en' | 'zh-CN') => errors.map((one) => problemText(locale, one));
    const english = texts('en');
    if (english.length === 0) return;
    throw new AppError('CHAIN_INVALID', {
      name: chain.name,
      count: english.length,
      detail: english.slice(0, 5).join(' '),
      'detail:zh-CN': texts('zh-CN').slice(0, 5).join(''),
    });
  }

  async #summary(runId: string): Promise<RunSummary | null> {
    const own = this.#live.get(runId);
    if (own !== undefined) return summarize(own.header, own.state);
    const summary = await this.#store.summary(runId);
    if (summary === null || summary.ended_at !== null) return summary;
    // A run without an end whose process has died must not look as if it were going on.
    const isGoingOn = (await this.#store.livingOwner(runId)) !== null;
    return isGoingOn ? summary : ((await this.#store.recover(runId)) ?? (await this.#store.summary(runId)));
  }

  #obey(run: LiveRun, command: RunCommand): void {
    try {
      if (command.kind === 'cancel') run.cancel(command.force);
      else run.answer(command.question_id, command.answer, command.note);
    } catch (thrown) {
      // Whoever sent it sees in the journal that it did not happen.
      this.#options.log.info('a command to a run came too late', { run: run.header.run_id, error: toAppError(thrown) });
    }
  }

  /** Errors: RUN_ELSEWHERE when the owner does not take the command, RUN_ENDED when it has died. */
  async #send(runId: string, command: RunCommand): Promise<void> {
    const owner = await this.#store.livingOwner(runId);
    if (owner === null) {
      await this.#store.recover(runId);
      throw new AppError('RUN_ENDED', { id: runId });
    }
    const sent = await sendCommand(this.#store.at(runId).inbox, command, this.#options.newId());
    const end = performance.now() + takenWaitMs;
    while (performance.now() < end) {
      if (await sent.isTaken()) return;
      await delay(20);
    }
    await sent.takeBack();
    throw new AppError('RUN_ELSEWHERE', { id: runId, pid: owner.pid });
  }

  async #afterEnd(run: LiveRun): Promise<void> {
    const { chains, log, now } = this.#options;
    const runId = run.header.run_id;
    const summary = summarize(run.header, run.state);
    const folder = this.#store.at(runId);
    if (run.problem === null) {
      await this.#store.keepSummary(runId, summary);
      if (summary.state !== 'interrupted') {
        await chains.countExecution(run.header.chain_name, now()).catch((thrown: unknown) => {
          log.warn('the execution of a chain can not be counted', { chain: run.header.chain_name, error: thrown });
        });
      }
    }
    this.#live.delete(runId);
    await removeOwner(folder.owner).catch(() => undefined);
    clearTimeout(this.#announced.get(runId));
    this.#announced.delete(runId);
    this.#tell(summary);
    if (this.#live.size === 0 && this.#signsOfLife !== null) {
      clearInterval(this.#signsOfLife);
      this.#signsOfLife = null;
    }
    await this.#removeOldest().catch((thrown: unknown) => log.warn('old runs can not be removed', { error: thrown }));
  }

  /** Keeps as many ended runs as the setting says. */
  async #removeOldest(): Promise<void> {
    const ids = await this.#store.ids();
    for (const id of ids.slice(this.#options.settings.values().keep_runs)) {
      const summary = await this.#summary(id);
      const isGoingOn = this.#live.has(id) || (await this.#store.livingOwner(id)) !== null;
      if (!isGoingOn && summary?.ended_at !== null) await this.#store.remove(id);
    }
  }

  /** Tells the listeners soon, together with the changes that come until then. */
  #announce(run: LiveRun): void {
    const runId = run.header.run_id;
    if (this.#callbacks.size === 0 || this.#announced.has(runId)) return;
    const timer = setTimeout(() => {
      this.#announced.delete(runId);
      this.#tell(summarize(run.header, run.state));
    }, changePauseMs);
    timer.unref();
    this.#announced.set(runId, timer);
  }

  #tell(summary: RunSummary): void {
    this.#lastTold.set(summary.run_id, summary);
    for (const callback of this.#callbacks) callback(summary);
  }

  /** Looks for the runs of other processes, more often than twice a second. Returns the way to stop. */
  #watchOthers(): () => void {
    let isFirst = true;
    let isLooking = false;
    const look = async () => {
      for (const id of await this.#store.ids()) {
        // A run that has ended does not change any more.
        if (this.#live.has(id) || (this.#lastTold.get(id)?.ended_at ?? null) !== null) continue;
        const summary = await this.#store.summary(id);
        if (summary === null || this.#live.has(id)) continue;
        if (isFirst) this.#lastTold.set(id, summary);
        else if (!isDeepStrictEqual(summary, this.#lastTold.get(id))) this.#tell(summary);
      }
      isFirst = false;
    };
    const lookAlone = async () => {
      if (isLooking) return;
      isLooking = true;
      await look().catch((thrown: unknown) => this.#options.log.warn('runs can not be listed', { error: thrown }));
      isLooking = false;
    };
    const timer = setInterval(() => void lookAlone(), lookMs);
    timer.unref();
    void lookAlone();
    return () => clearInterval(timer);
  }

  #giveSignsOfLife(): void {
    this.#signsOfLife ??= setInterval(() => {
      for (const id of this.#live.keys()) void giveSignOfLife(this.#store.at(id).owner);
    }, signOfLifeMs).unref();
  }
}

function secretMissing(name: string): AppError {
  const params = {
    detail: `the sensitive input "${name}" is kept in no file and has to be given again`,
    'detail:zh-CN': `敏感输入“${name}”不保存在任何文件中，需要重新提供`,
  };
  return new AppError('INPUT_INVALID', params, { field: name });
}

/** Large outputs of the earlier run that its results, reused, refer to. */
async function copyOutputs(from: RunFolder, to: RunFolder): Promise<void> {
  await cp(from.outputs, to.outputs, { recursive: true }).catch((thrown: unknown) => {
    if (errnoOf(thrown) !== 'ENOENT') throw writeError(to.outputs, thrown);
  });
}

/** The run's folder with its owner and its journal, or nothing. Errors: FILE_UNWRITABLE. */
function createFiles(folder: RunFolder, owner: Owner, header: RunHeader): JournalWriter {
  try {
    mkdirSync(folder.logs, { recursive: true });
    mkdirSync(folder.inbox);
    writeOwner(folder.owner, owner);
    return JournalWriter.create(folder.journal, header);
  } catch (thrown) {
    rmSync(folder.folder, { recursive: true, force: true });
    throw writeError(folder.folder, thrown);
  }
}

function systemTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
