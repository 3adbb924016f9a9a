import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, ReportedError, Scalar } from '../../../shared/action/manifest.ts';
import { placements } from '../../../shared/action/manifest.ts';
import { readProgramOutput, readProgress } from '../../../shared/action/read-output.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { Settings } from '../../../shared/settings/settings.ts';
import type { ActionCatalog, ActionCommand, ResolvedAction } from '../actions/action-catalog.ts';
import { writeError } from '../files/file-error.ts';
import type { Log } from '../log.ts';
import { BoundedTextBuilder } from '../processes/bounded-text.ts';
import { endMarked } from '../processes/end-marked.ts';
import { type ProcessResult, type RunProcessOptions, runProcess } from '../processes/run-process.ts';
import {
  isAlive,
  isJobId,
  type JobOwner,
  listJobIds,
  ownProcess,
  readJob,
  type StoredJob,
  writeJob,
} from './job-file.ts';

export interface JobRequest {
  readonly skill_slug: string;
  readonly action_id: string;
  readonly input?: Readonly<Record<string, Scalar>> | undefined;
  /** Absent = `api`. */
  readonly source?: Job['source'] | undefined;
  /** The person has seen the action's confirmation and agreed. */
  readonly confirmed?: boolean | undefined;
}

export interface JobService {
  /**
   * Puts an action into the queue. Errors: those of the action catalog, ACTION_REFUSED when the manifest does not offer
   * the action at `source`, CONFIRMATION_NEEDED, FILE_UNWRITABLE (nothing was started).
   */
  run(request: JobRequest): Promise<Job>;
  /** The exact argv that `run` would use, sensitive values as `***`. Errors: those of the action catalog. */
  preview(request: Pick<JobRequest, 'skill_slug' | 'action_id' | 'input'>): Promise<{ argv: string[] }>;
  /** Newest first; also the jobs of other processes. */
  list(): Promise<Job[]>;
  /** Errors: JOB_NOT_FOUND. */
  get(id: string): Promise<Job>;
  /** Ends the job's whole process tree and returns the job as it then is; an ended job stays as it is. Errors: JOB_NOT_FOUND. */
  cancel(id: string): Promise<Job>;
  /** The job when it has ended. Errors: JOB_NOT_FOUND. */
  waitForEnd(id: string): Promise<Job>;
  /** Called on every change of this process's jobs, at most about ten times a second for one job. */
  onChange(callback: (job: Job) => void): () => void;
  /** Stops the own jobs and waits for them. */
  dispose(): Promise<void>;
}

export interface JobServiceOptions {
  /** The data home; jobs are in `jobs/` of it. */
  readonly home: string;
  readonly actions: ActionCatalog;
  readonly settings: { values(): Pick<Settings, 'max_parallel_jobs' | 'stop_grace_seconds'> };
  /** How programs are run; absent = the real way. */
  readonly runProcess?: (options: RunProcessOptions) => Promise<ProcessResult>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Ended jobs that are kept. */
const keptJobs = 200;
const noticeMs = 100;
const askedToStopMs = 400;
const partLimit = 8 * 1024;
/** Stands in the environment of every process of a job. */
const jobVariable = 'SKILL_SUB_JOB_ID';
const interrupted: ReportedError = { code: 'INTERRUPTED', message: '', hint: null };

/**
 * Runs actions as jobs: a queue with a limit, one job per skill at a time, each kept as a file that survives a crash.
 * Jobs that a dead process left behind become `interrupted`.
 */
export function createJobService(options: JobServiceOptions): JobService {
  return new Service(options);
}

/** A job of this process that has not ended. */
interface Live {
  job: Job;
  readonly resolved: ResolvedAction;
  readonly command: ActionCommand;
  readonly abort: AbortController;
  readonly output: BoundedTextBuilder;
  readonly ended: Promise<void>;
  readonly end: () => void;
  started: boolean;
  /** Order of writing: a later state is never overtaken by an earlier one. */
  saving: Promise<void>;
  noticeTimer: NodeJS.Timeout | null;
}

class Service implements JobService {
  private readonly folder: string;
  private readonly live = new Map<string, Live>();
  private readonly done = new Map<string, Job>();
  private readonly queue: Live[] = [];
  private readonly listeners = new Set<(job: Job) => void>();
  private readonly ready: Promise<JobOwner>;
  private disposed = false;

  constructor(private readonly options: JobServiceOptions) {
    this.folder = join(options.home, 'jobs');
    this.ready = this.recover();
    this.ready.catch((thrown: unknown) => options.log.error('jobs not read', { error: thrown }));
  }

  async run(request: JobRequest): Promise<Job> {
    const owner = await this.ready;
    if (this.disposed) throw new AppError('CANCELLED');
    const source = request.source ?? 'api';
    const resolved = await this.options.actions.resolve(request.skill_slug, request.action_id);
    const { action } = resolved;
    refuseElsewhere(resolved, source);
    const command = await this.options.actions.command(resolved, request.input ?? {});
    if (action.confirmation !== undefined && request.confirmed !== true) {
      throw new AppError('CONFIRMATION_NEEDED', {
        action: action.title ?? action.id,
        detail: action.confirmation.message,
      });
    }
    const job: Job = {
      id: this.options.newId(),
      skill_slug: resolved.slug,
      skill_name: resolved.skillName,
      action_id: action.id,
      title: action.title ?? action.id,
      input: { ...command.maskedInput },
      argv: [...command.maskedArgv],
      source,
      state: 'queued',
      progress: null,
      progress_text: null,
      created_at: this.time(),
      started_at: null,
      ended_at: null,
      exit_code: null,
      result: null,
      error: null,
      output_head: '',
      output_tail: '',
      output_bytes: 0,
    };
    await mkdir(join(this.folder, job.id), { recursive: true, mode: 0o700 }).catch((thrown: unknown) => {
      throw writeError(join(this.folder, job.id), thrown);
    });
    await writeJob(this.folder, { job, process: owner });
    const { promise: ended, resolve: end } = withResolvers();
    const live: Live = {
      job,
      resolved,
      command,
      abort: new AbortController(),
      output: new BoundedTextBuilder(partLimit, partLimit),
      ended,
      end,
      started: false,
      saving: Promise.resolve(),
      noticeTimer: null,
    };
    this.live.set(job.id, live);
    this.queue.push(live);
    this.tell(live);
    this.pump();
    return this.view(live);
  }

  async preview(request: Pick<JobRequest, 'skill_slug' | 'action_id' | 'input'>): Promise<{ argv: string[] }> {
    const resolved = await this.options.actions.resolve(request.skill_slug, request.action_id);
    const command = await this.options.actions.command(resolved, request.input ?? {});
    return { argv: [...command.maskedArgv] };
  }

  async list(): Promise<Job[]> {
    await this.ready;
    const ids = await listJobIds(this.folder);
    for (const id of this.done.keys()) if (!ids.includes(id)) this.done.delete(id);
    const others = await Promise.all(
      ids.filter((id) => !this.live.has(id) && !this.done.has(id)).map((id) => this.readOther(id)),
    );
    const jobs = [...[...this.live.values()].map((live) => this.view(live)), ...this.done.values()];
    const known = new Set(jobs.map(({ id }) => id));
    for (const job of others) if (job !== null && !known.has(job.id)) jobs.push(job);
    return jobs.sort(newestFirst);
  }

  async get(id: string): Promise<Job> {
    await this.ready;
    const live = this.live.get(id);
    const job =
      live !== undefined ? this.view(live) : (this.done.get(id) ?? (isJobId(id) ? await this.readOther(id) : null));
    if (job === null) throw new AppError('JOB_NOT_FOUND', { id });
    return job;
  }

  async cancel(id: string): Promise<Job> {
    const job = await this.get(id);
    const live = this.live.get(id);
    if (live !== undefined) {
      live.abort.abort();
      if (!live.started) this.drop(live, 'cancelled', null);
      await live.ended;
    } else if (job.state === 'queued' || job.state === 'running') {
      // It belongs to another process, which looks for this file.
      await writeFile(this.stopFile(id), '').catch((thrown: unknown) => {
        throw new AppError('FILE_UNWRITABLE', { file: this.stopFile(id), detail: String(thrown) });
      });
    }
    return this.get(id);
  }

  async waitForEnd(id: string): Promise<Job> {
    await this.get(id);
    await this.live.get(id)?.ended;
    return this.get(id);
  }

  onChange(callback: (job: Job) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    await this.ready.catch(() => undefined);
    const all = [...this.live.values()];
    for (const live of all) {
      live.abort.abort();
      if (!live.started) this.drop(live, 'interrupted', interrupted);
    }
    await Promise.all(all.map(({ ended }) => ended));
    this.listeners.clear();
  }

  /** Reads what is there; what a dead process left running is marked, and the oldest beyond the limit are removed. */
  private async recover(): Promise<JobOwner> {
    const owner = await ownProcess();
    for (const id of await listJobIds(this.folder)) {
      const stored = await readJob(this.folder, id);
      if (stored === null) {
        this.options.log.warn('job file not readable', { id });
        continue;
      }
      if (hasEnded(stored.job)) this.done.set(id, stored.job);
      else if (!(await isAlive(stored.process))) await this.interrupt(stored);
    }
    await this.forget();
    return owner;
  }

  private async forget(): Promise<void> {
    for (const job of [...this.done.values()].sort(newestFirst).slice(keptJobs)) {
      this.done.delete(job.id);
      await rm(join(this.folder, job.id), { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** A job of another process, as its file has it. */
  private async readOther(id: string): Promise<Job | null> {
    const stored = await readJob(this.folder, id);
    if (stored === null) return null;
    if (hasEnded(stored.job)) {
      this.done.set(id, stored.job);
      return stored.job;
    }
    return (await isAlive(stored.process)) ? stored.job : this.interrupt(stored);
  }

  /** Marks the job of a dead process and ends what that process left running. */
  private async interrupt(stored: StoredJob): Promise<Job> {
    const { id } = stored.job;
    const { left } = await endMarked(jobMark(id), 0);
    const error = left === 0 ? interrupted : { code: 'LEFT_BEHIND', message: String(left), hint: null };
    const job: Job = { ...stored.job, state: 'interrupted', ended_at: this.time(), error };
    this.done.set(id, job);
    await writeJob(this.folder, { ...stored, job }).catch((thrown: unknown) =>
      this.options.log.warn('job not marked as interrupted', { id, error: thrown }),
    );
    return job;
  }

  private pump(): void {
    if (this.disposed) return;
    const running = [...this.live.values()].filter(({ started }) => started);
    let free = this.options.settings.values().max_parallel_jobs - running.length;
    const busy = new Set(running.map(({ job }) => job.skill_slug));
    for (const live of [...this.queue]) {
      if (free <= 0) return;
      const alone = live.resolved.action['parallel'] !== true;
      if (alone && busy.has(live.job.skill_slug)) continue;
      this.queue.splice(this.queue.indexOf(live), 1);
      busy.add(live.job.skill_slug);
      free -= 1;
      live.started = true;
      void this.execute(live);
    }
  }

  private async execute(live: Live): Promise<void> {
    const { command } = live;
    this.change(live, { state: 'running', started_at: this.time() });
    this.save(live);
    const watch = setInterval(() => {
      if (existsSync(this.stopFile(live.job.id))) live.abort.abort();
    }, askedToStopMs);
    try {
      const result = await (this.options.runProcess ?? runProcess)({
        command: command.command,
        args: command.args,
        cwd: command.cwd,
        env: { ...command.env, [jobVariable]: live.job.id },
        timeoutMs: command.timeoutMs,
        graceMs: this.options.settings.values().stop_grace_seconds * 1000,
        signal: live.abort.signal,
        onOutput: this.outputReader(live),
        logFile: join(this.folder, live.job.id, 'output.log'),
        secrets: command.secrets,
      });
      this.finish(live, result);
    } catch (thrown) {
      this.options.log.error('job failed inside the program', { id: live.job.id, error: thrown });
      this.drop(live, 'failed', {
        code: 'INTERNAL',
        message: thrown instanceof Error ? thrown.message : String(thrown),
        hint: null,
      });
    } finally {
      clearInterval(watch);
    }
  }

  /** Takes output as it comes: keeps its first and last part, and reads progress off whole lines. */
  private outputReader(live: Live): NonNullable<RunProcessOptions['onOutput']> {
    const rest = { stdout: '', stderr: '' };
    return (stream, text) => {
      live.output.push(text);
      const lines = (rest[stream] + text).split(/\r\n|\n|\r/);
      rest[stream] = lines.pop()!.slice(-10_000);
      const progress = lines.map(readProgress).findLast((found) => found !== null);
      const bytes = live.job.output_bytes + Buffer.byteLength(text);
      if (progress == null) live.job = { ...live.job, output_bytes: bytes };
      else live.job = { ...live.job, output_bytes: bytes, progress: progress.percent, progress_text: progress.text };
      this.tellSoon(live);
    };
  }

  private finish(live: Live, result: ProcessResult): void {
    const { stdout, stderr, exitCode } = result;
    const read = readProgramOutput({ stdout: stdout.text, stderr: stderr.text, exitCode });
    const stopped = result.cancelled || live.abort.signal.aborted;
    const error = errorOf(result, read.error, live.command);
    const state = stopped
      ? this.disposed
        ? 'interrupted'
        : 'cancelled'
      : result.timedOut
        ? 'timed_out'
        : error === null
          ? 'succeeded'
          : 'failed';
    this.change(live, {
      exit_code: exitCode,
      result: read.result,
      output_bytes: result.outputBytes,
      ...(state === 'succeeded' && live.job.progress !== null ? { progress: 100 } : {}),
    });
    const quiet = state === 'cancelled' && result.processesLeft === 0;
    this.settle(live, state, state === 'interrupted' ? interrupted : quiet ? null : error);
  }

  /** Ends a job that has no process. */
  private drop(live: Live, state: Job['state'], error: ReportedError | null): void {
    const at = this.queue.indexOf(live);
    if (at >= 0) this.queue.splice(at, 1);
    this.settle(live, state, error);
  }

  private settle(live: Live, state: Job['state'], error: ReportedError | null): void {
    if (hasEnded(live.job)) return;
    this.change(live, { ...this.parts(live), state, error, ended_at: this.time() });
    this.save(live);
    void live.saving.then(async () => {
      this.live.delete(live.job.id);
      this.done.set(live.job.id, live.job);
      await rm(this.stopFile(live.job.id), { force: true }).catch(() => undefined);
      live.end();
      this.pump();
      await this.forget();
    });
  }

  private change(live: Live, patch: Partial<Job>): void {
    live.job = { ...live.job, ...patch };
    this.tell(live);
  }

  private save(live: Live): void {
    const { job } = live;
    live.saving = live.saving
      .then(async () => {
        await writeJob(this.folder, { job, process: await this.ready });
      })
      .catch((thrown: unknown) => this.options.log.error('job not saved', { id: job.id, error: thrown }));
  }

  private tell(live: Live): void {
    if (live.noticeTimer !== null) clearTimeout(live.noticeTimer);
    live.noticeTimer = null;
    const job = this.view(live);
    for (const listener of this.listeners) listener(job);
  }

  private tellSoon(live: Live): void {
    live.noticeTimer ??= setTimeout(() => this.tell(live), noticeMs);
  }

  private view(live: Live): Job {
    return { ...live.job, ...this.parts(live) };
  }

  private parts(live: Live): Pick<Job, 'output_head' | 'output_tail'> {
    const { head, tail } = live.output.finish();
    return { output_head: head, output_tail: tail };
  }

  private stopFile(id: string): string {
    return join(this.folder, id, 'stop');
  }

  private time(): string {
    return new Date(this.options.now()).toISOString();
  }
}

/** An entry point only starts what the manifest offers there; a person at the command line or a program may start all. */
function refuseElsewhere(resolved: ResolvedAction, source: Job['source']): void {
  const place = placements.find((placement) => placement === source);
  if (place === undefined || resolved.placements.includes(place)) return;
  throw new AppError('ACTION_REFUSED', {
    action: resolved.action.title ?? resolved.action.id,
    detail: `it is not offered at "${place}"`,
    'detail:zh-CN': `它不在“${place}”提供`,
  });
}

function errorOf(result: ProcessResult, reported: ReportedError | null, command: ActionCommand): ReportedError | null {
  const own = (code: string, message: string): ReportedError => ({ code, message, hint: null });
  if (result.spawnError !== null) return own('SPAWN', result.spawnError.message);
  if (result.processesLeft > 0) return own('LEFT_BEHIND', String(result.processesLeft));
  if (result.timedOut) return own('TIMEOUT', String(command.timeoutMs / 1000));
  if (reported !== null) return reported;
  if (result.exitCode === 0) return null;
  return result.exitCode === null ? own('SIGNAL', result.exitSignal ?? '?') : own('EXIT', String(result.exitCode));
}

function jobMark(id: string): string {
  return `${jobVariable}=${id}`;
}

function hasEnded(job: Job): boolean {
  return job.state !== 'queued' && job.state !== 'running';
}

function newestFirst(a: Job, b: Job): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
