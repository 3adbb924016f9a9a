import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../shared/action/manifest.ts';
import { createActionCatalog } from '../actions/action-catalog.ts';
import { type TestSkill, testLibrary, writeSkill } from '../actions/test-skills.ts';
import { asOrdinaryUser, testProgram } from '../files/test-folder.ts';
import { createLog } from '../log.ts';
import { isRunning } from '../processes/test-processes.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import { createJobService, type JobService, type JobServiceOptions } from './job-service.ts';

const repo = resolve(import.meta.dirname, '../../..');
const programs = join(repo, 'e2e/programs');

/** `hold` says that it is up and goes on when its gate exists; `say` prints what it was given in many spellings. */
const mainScript = `
import { existsSync, writeSync } from 'node:fs';
const [command, ...args] = process.argv.slice(2);
if (command === 'hold') {
  console.log('PROGRESS:40: up');
  const timer = setInterval(() => {
    if (!existsSync(args[0])) return;
    clearInterval(timer);
    console.log(JSON.stringify({ held: args[0], job: process.env.SKILL_SUB_JOB_ID }));
  }, 10);
} else if (command === 'say') {
  const secret = args[1];
  console.log('plain ' + secret);
  console.error('on the other stream ' + secret);
  console.log('address https://example.org/?key=' + encodeURIComponent(secret));
  writeSync(1, 'in two parts ' + secret.slice(0, 4));
  setTimeout(() => {
    writeSync(1, secret.slice(4) + '\\n');
    console.log(JSON.stringify({ ok: false, error: { code: 'NO', message: 'refused ' + secret, hint: secret } }));
    process.exitCode = 1;
  }, 50);
} else if (command === 'fail') {
  console.error('ERROR:QUOTA: nothing left');
  console.error('HINT: buy more');
  process.exitCode = 3;
} else if (command === 'nothing') {
  console.log('just words');
} else {
  process.argv.splice(2, 1);
  await import('./' + command + '.mjs');
}
`;

const gate = { type: 'object', required: ['gate'], properties: { gate: { type: 'string' } } };
const secret = { type: 'object', properties: { key: { type: 'string', sensitive: true } } };
const cli = (command: string, args: string[] = []) => ({ type: 'cli', command, args });
const actions = [
  { id: 'hold', entrypoint: cli('hold', ['{{gate}}']), inputSchema: gate, placements: ['toolbar'] },
  { id: 'hold-beside', parallel: true, entrypoint: cli('hold', ['{{gate}}']), inputSchema: gate },
  { id: 'say', entrypoint: cli('say', ['--key', '{{key}}']), inputSchema: secret, placements: ['toolbar', 'agent'] },
  { id: 'fail', entrypoint: cli('fail') },
  { id: 'nothing', entrypoint: cli('nothing') },
  { id: 'forks', entrypoint: cli('forks') },
  { id: 'leave', entrypoint: cli('forks', ['--leave']) },
  { id: 'late', timeoutSeconds: 0.3, entrypoint: cli('forever') },
  { id: 'chatty', entrypoint: cli('chatty', ['7']) },
  { id: 'asks', entrypoint: cli('nothing'), confirmation: { message: 'Really?', danger: true } },
];

let home: string;
let root: string;
let library: SkillLibrary;
let services: JobService[];
let said: string[];
const settings = { max_parallel_jobs: 2, stop_grace_seconds: 1, python: '', step_timeout_seconds: 60 };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'jobs-'));
  root = join(home, '.workbuddy', 'skills');
  for (const name of ['one', 'two', 'three']) addSkill({ name });
  library = testLibrary(home);
  services = [];
  said = [];
  settings.max_parallel_jobs = 2;
});
afterEach(async () => {
  for (const service of services) await service.dispose();
  await library.dispose();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function addSkill(skill: TestSkill): void {
  const folder = writeSkill(root, { actions, files: { 'scripts/main.mjs': mainScript }, ...skill });
  for (const name of ['forks.mjs', 'forever.mjs', 'chatty.mjs']) {
    copyFileSync(join(programs, name), join(folder, 'scripts', name));
  }
}

let ids = 0;
function open(more: Partial<JobServiceOptions> = {}): JobService {
  const log = createLog((level, message, fields) => said.push(`${level} ${message} ${JSON.stringify(fields)}`));
  const service = createJobService({
    home,
    actions: createActionCatalog({
      skills: library,
      settings: { values: () => settings },
      ownManifestFile: join(repo, 'assets/actions.json'),
      log,
    }),
    settings: { values: () => settings },
    log,
    now: Date.now,
    newId() {
      ids += 1;
      return `job${ids}`;
    },
    ...more,
  });
  services.push(service);
  return service;
}

/** Resolves with the first state of a job of which `found` says yes, also one that is told already. */
async function seen(service: JobService, id: string, found: (job: Job) => boolean): Promise<Job> {
  let stop = () => {};
  const later = new Promise<Job>((resolve) => {
    stop = service.onChange((job) => {
      if (job.id === id && found(job)) resolve(job);
    });
  });
  const now = await service.get(id);
  const job = found(now) ? now : await later;
  stop();
  return job;
}

const isUp = (job: Job) => job.progress === 40;
const jobFile = (id: string, name = 'job.json') => join(home, 'jobs', id, name);
const readJobFile = (id: string) => JSON.parse(readFileSync(jobFile(id), 'utf8')) as { job: Job };
const openGate = (name: string) => {
  const file = join(home, name);
  writeFileSync(file, '');
  return file;
};
const hold = (service: JobService, skill: string, more: { action_id?: string } = {}) =>
  service.run({ skill_slug: skill, action_id: 'hold', input: { gate: join(home, `gate-${skill}`) }, ...more });

describe('a job', () => {
  it('goes through its states, and its file says the same as the service', async () => {
    const service = open();
    const states: string[] = [];
    service.onChange((job) => {
      if (states.at(-1) !== job.state) states.push(job.state);
    });
    const { id, state, argv } = await hold(service, 'one');
    expect(['queued', 'running']).toContain(state);
    expect(argv.slice(1)).toEqual([join(root, 'one/scripts/main.mjs'), 'hold', join(home, 'gate-one')]);
    const up = await seen(service, id, isUp);
    expect(up).toMatchObject({ state: 'running', progress: 40, progress_text: 'up', started_at: expect.any(String) });
    openGate('gate-one');
    const job = await service.waitForEnd(id);
    expect(job).toMatchObject({
      state: 'succeeded',
      skill_slug: 'one',
      action_id: 'hold',
      exit_code: 0,
      error: null,
      progress: 100,
      source: 'api',
      result: { held: join(home, 'gate-one'), job: id },
    });
    expect(job.output_head).toContain('PROGRESS:40: up');
    expect(states).toEqual(['queued', 'running', 'succeeded']);
    expect(readJobFile(id).job).toEqual(job);
    expect(readFileSync(jobFile(id, 'output.log'), 'utf8')).toBe(job.output_head);
  });

  it('fails with what the program said, its exit code and its hint', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'fail' });
    expect(await service.waitForEnd(id)).toMatchObject({
      state: 'failed',
      exit_code: 3,
      error: { code: 'QUOTA', message: 'nothing left', hint: 'buy more' },
    });
  });

  it('ends when its time is over, and says so', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'late' });
    const job = await service.waitForEnd(id);
    expect(job).toMatchObject({ state: 'timed_out', error: { code: 'TIMEOUT', message: '0.3' } });
    const { pid } = JSON.parse(job.output_head) as { pid: number };
    expect(isRunning(pid)).toBe(false);
  });

  it('keeps both ends of a long output, and a note in the file of what was left out', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'chatty' });
    const job = await service.waitForEnd(id);
    expect(job).toMatchObject({ state: 'succeeded', result: { lines: expect.any(Number) } });
    expect(job.output_bytes).toBeGreaterThan(7 * 1024 * 1024);
    expect(job.output_head.length + job.output_tail.length).toBeLessThan(20_000);
    expect(job.output_head).toMatch(/^000000000001 /);
    expect(job.output_tail).toContain('"lines":');
    const kept = readFileSync(jobFile(id, 'output.log'));
    expect(kept.length).toBeGreaterThan(4.9 * 1024 * 1024);
    expect(kept.length).toBeLessThan(5.1 * 1024 * 1024);
    expect(kept.toString()).toMatch(/^000000000001 [\s\S]*output cut here: \d+ bytes left out[\s\S]*"lines":\d+}\n$/);
  });

  it('leaves no process behind that the program left', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'leave' });
    const job = await service.waitForEnd(id);
    const { children } = JSON.parse(job.output_head) as { children: number[] };
    expect(children).toHaveLength(2);
    expect(children.filter(isRunning)).toEqual([]);
  });
});

describe('the queue of jobs', () => {
  it('starts no more than the setting allows, and the next one when one has ended', async () => {
    const service = open();
    const [one, two, three] = [await hold(service, 'one'), await hold(service, 'two'), await hold(service, 'three')];
    await seen(service, one.id, isUp);
    await seen(service, two.id, isUp);
    expect((await service.get(three.id)).state).toBe('queued');
    openGate('gate-one');
    await service.waitForEnd(one.id);
    await seen(service, three.id, isUp);
    expect((await service.get(two.id)).state).toBe('running');
    openGate('gate-two');
    openGate('gate-three');
    const ended = await Promise.all([two.id, three.id].map((id) => service.waitForEnd(id)));
    expect(ended.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect((await service.list()).map(({ id }) => id)).toEqual([three.id, two.id, one.id]);
  });

  it('runs one job of a skill at a time, unless the action allows more', async () => {
    settings.max_parallel_jobs = 4;
    const service = open();
    const first = await hold(service, 'one');
    const second = await hold(service, 'one');
    const beside = await hold(service, 'one', { action_id: 'hold-beside' });
    const other = await hold(service, 'two');
    await Promise.all([first, beside, other].map(({ id }) => seen(service, id, isUp)));
    expect((await service.get(second.id)).state).toBe('queued');
    openGate('gate-one');
    expect((await service.waitForEnd(second.id)).state).toBe('succeeded');
  });

  it('drops a job that is cancelled before it started', async () => {
    settings.max_parallel_jobs = 1;
    const service = open();
    const first = await hold(service, 'one');
    const second = await hold(service, 'two');
    await seen(service, first.id, isUp);
    expect(await service.cancel(second.id)).toMatchObject({ state: 'cancelled', started_at: null, error: null });
    openGate('gate-one');
    openGate('gate-two');
    await service.waitForEnd(first.id);
    expect(await service.get(second.id)).toMatchObject({ state: 'cancelled', output_head: '' });
    expect(existsSync(jobFile(second.id, 'output.log'))).toBe(false);
  });
});

describe('stopping a job', () => {
  it('ends the whole tree, also children with a session of their own that are deaf to SIGTERM', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'forks' });
    const { output_head: said } = await seen(service, id, (job) => job.output_head.includes('\n'));
    const { pid, children } = JSON.parse(said) as { pid: number; children: number[] };
    expect([pid, ...children].filter(isRunning)).toHaveLength(3);
    expect(await service.cancel(id)).toMatchObject({ state: 'cancelled', error: null });
    expect([pid, ...children].filter(isRunning)).toEqual([]);
    expect(readJobFile(id).job.state).toBe('cancelled');
    // An ended job stays as it is.
    expect((await service.cancel(id)).state).toBe('cancelled');
  });

  it('interrupts everything when the program ends', async () => {
    settings.max_parallel_jobs = 1;
    const service = open();
    const running = await service.run({ skill_slug: 'one', action_id: 'forks' });
    const waiting = await hold(service, 'two');
    const { output_head: said } = await seen(service, running.id, (job) => job.output_head.includes('\n'));
    const { pid, children } = JSON.parse(said) as { pid: number; children: number[] };
    await service.dispose();
    expect([pid, ...children].filter(isRunning)).toEqual([]);
    for (const { id } of [running, waiting]) {
      expect(readJobFile(id).job).toMatchObject({ state: 'interrupted', error: { code: 'INTERRUPTED' } });
    }
    await expect(hold(service, 'three')).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('jobs of another process', () => {
  /** A process with a service of its own that holds one job; it prints the job's id when the job is up. */
  async function elsewhere(): Promise<{ pid: number; id: string; kill(): Promise<void>; ended: Promise<unknown> }> {
    const file = await testProgram(
      home,
      'other',
      `
      import { createActionCatalog } from './electron/services/actions/action-catalog.ts';
      import { testLibrary } from './electron/services/actions/test-skills.ts';
      import { silentLog } from './electron/services/log.ts';
      import { createJobService } from './electron/services/jobs/job-service.ts';
      const [home, ownManifestFile] = process.argv.slice(2);
      const settings = { values: () => ({ max_parallel_jobs: 2, stop_grace_seconds: 1, python: '', step_timeout_seconds: 60 }) };
      const skills = testLibrary(home);
      const actions = createActionCatalog({ skills, settings, ownManifestFile, log: silentLog });
      const service = createJobService({ home, actions, settings, log: silentLog, now: Date.now, newId: () => 'elsewhere' });
      service.onChange((job) => { if (job.progress === 40) console.log(job.id); });
      await service.run({ skill_slug: 'one', action_id: 'hold', input: { gate: home + '/never' } });
      await service.waitForEnd('elsewhere');
      await skills.dispose();
      `,
    );
    const child = spawn(process.execPath, [file, home, join(repo, 'assets/actions.json')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((done) => child.once('exit', done));
    const id = await new Promise<string>((up) => createInterface({ input: child.stdout }).once('line', up));
    const kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    return { pid: child.pid!, id, kill, ended };
  }

  it('are shown while it lives, and can be cancelled from here', async () => {
    const other = await elsewhere();
    const service = open();
    expect(await service.get(other.id)).toMatchObject({ state: 'running' });
    expect((await service.list()).map(({ id }) => id)).toEqual([other.id]);
    await service.cancel(other.id);
    await other.ended;
    expect(await service.get(other.id)).toMatchObject({ state: 'cancelled' });
    expect(existsSync(jobFile(other.id, 'stop'))).toBe(false);
  });

  it('are interrupted when it was killed, in the list of a running service and at the next start', async () => {
    const other = await elsewhere();
    const [program] = readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes('SKILL_SUB_JOB_ID=elsewhere');
      } catch {
        return false;
      }
    });
    const before = open();
    expect((await before.get(other.id)).state).toBe('running');
    await other.kill();
    expect((await before.get(other.id)).state).toBe('interrupted');
    const job = await open().get(other.id);
    expect(job).toMatchObject({ state: 'interrupted', error: { code: 'INTERRUPTED' }, ended_at: expect.any(String) });
    expect(readJobFile(other.id).job).toEqual(job);
    // What the killed process could not end is ended by whoever finds its job.
    expect(program !== undefined && isRunning(Number(program))).toBe(false);
  });
});

describe('what a job keeps', () => {
  it('holds a sensitive value nowhere: not in the argv, the input, the files, the log or what is told', async () => {
    const value = 'hunter"22 ü/Ω\\x';
    const service = open();
    const told: string[] = [];
    service.onChange((job) => told.push(JSON.stringify(job)));
    const preview = await service.preview({ skill_slug: 'one', action_id: 'say', input: { key: value } });
    expect(preview.argv.slice(2)).toEqual(['say', '--key', '***']);
    const request = { skill_slug: 'one', action_id: 'say', input: { key: value }, source: 'agent' } as const;
    const { id, argv, input } = await service.run(request);
    expect(argv.slice(2)).toEqual(['say', '--key', '***']);
    expect(input).toEqual({ key: '***' });
    const job = await service.waitForEnd(id);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'NO', message: 'refused ***', hint: '***' } });
    expect(job.output_head).toContain('plain ***');
    // The streams are shown as they came, so a line of the other one may stand between the two parts.
    expect(job.output_head).toMatch(/in two parts (on the other stream \*\*\*\n)?\*\*\*\n/);
    const files = readdirSync(join(home, 'jobs', id)).map((name) => readFileSync(jobFile(id, name), 'utf8'));
    expect(files).toHaveLength(2);
    const everything = [...files, ...told, ...said, JSON.stringify(job)].join('\n');
    for (const spelling of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), 'hunter']) {
      expect(everything).not.toContain(spelling);
    }
  });

  it('is readable by its owner only', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'nothing' });
    await service.waitForEnd(id);
    for (const file of [jobFile(id), jobFile(id, 'output.log'), join(home, 'jobs', id)]) {
      expect(statSync(file).mode & 0o077).toBe(0);
    }
  });

  it('is at most the newest 200 jobs', async () => {
    const first = open();
    const { id } = await first.run({ skill_slug: 'one', action_id: 'nothing' });
    const job = await first.waitForEnd(id);
    for (let at = 0; at < 205; at += 1) {
      const old = { ...job, id: `old${at}`, created_at: new Date(1_700_000_000_000 + at * 1000).toISOString() };
      mkdirSync(join(home, 'jobs', old.id));
      writeFileSync(jobFile(old.id), JSON.stringify({ job: old, process: { pid: 1, started: null } }));
    }
    const rows = await open().list();
    expect(rows).toHaveLength(200);
    expect(rows[0]!.id).toBe(id);
    expect(rows.at(-1)!.id).toBe('old6');
    expect(readdirSync(join(home, 'jobs'))).toHaveLength(200);
  });

  it('passes over a job file that can not be read, and leaves it as it is', async () => {
    mkdirSync(join(home, 'jobs', 'bad'), { recursive: true });
    writeFileSync(jobFile('bad'), '{"job": {');
    const service = open();
    expect(await service.list()).toEqual([]);
    await expect(service.get('bad')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    expect(readFileSync(jobFile('bad'), 'utf8')).toBe('{"job": {');
    expect(said.some((line) => line.includes('bad'))).toBe(true);
  });
});

describe('a job is refused', () => {
  it.each([
    ['an unknown skill', { skill_slug: 'nobody', action_id: 'hold' }, 'SKILL_NOT_FOUND'],
    ['an unknown action', { skill_slug: 'one', action_id: 'nope' }, 'ACTION_NOT_FOUND'],
    ['a required field that is missing', { skill_slug: 'one', action_id: 'hold' }, 'ACTION_INPUT_INVALID'],
    ['a place that does not offer it', { skill_slug: 'one', action_id: 'fail', source: 'toolbar' }, 'ACTION_REFUSED'],
    [
      'a sensitive field in the toolbar',
      { skill_slug: 'one', action_id: 'say', input: { key: 'abc' }, source: 'toolbar' },
      'ACTION_REFUSED',
    ],
    ['a confirmation that is missing', { skill_slug: 'one', action_id: 'asks' }, 'CONFIRMATION_NEEDED'],
    ['a command of the window', { skill_slug: 'studio', action_id: 'chain-new' }, 'ACTION_REFUSED'],
  ] as const)('for %s, and leaves nothing', async (_what, request, code) => {
    const service = open();
    await expect(service.run(request)).rejects.toMatchObject({ code });
    expect(await service.list()).toEqual([]);
    expect(existsSync(join(home, 'jobs'))).toBe(false);
  });

  it('runs after the confirmation', async () => {
    const service = open();
    const { id } = await service.run({ skill_slug: 'one', action_id: 'asks', confirmed: true });
    expect(await service.waitForEnd(id)).toMatchObject({
      state: 'succeeded',
      result: null,
      output_head: 'just words\n',
    });
  });

  it('when its folder can not be written, before anything is started', async () => {
    const service = open();
    await service.list();
    await library.list();
    mkdirSync(join(home, 'jobs'));
    chmodSync(join(home, 'jobs'), 0o555);
    chmodSync(home, 0o755);
    await asOrdinaryUser(async () => {
      await expect(service.run({ skill_slug: 'one', action_id: 'nothing' })).rejects.toMatchObject({
        code: 'FILE_UNWRITABLE',
      });
    });
    chmodSync(join(home, 'jobs'), 0o755);
    expect(await service.list()).toEqual([]);
  });

  it('under ids that are none', async () => {
    const service = open();
    for (const id of ['nope', '../jobs', '', 'a/b', 'x'.repeat(200)]) {
      await expect(service.get(id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
      await expect(service.cancel(id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    }
  });
});
