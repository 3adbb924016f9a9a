import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { actionArgv } from '../shared/action/argv.ts';
import { validateInput } from '../shared/action/input-schema.ts';
import { ActionManifest } from '../shared/action/manifest.ts';

const repo = resolve(import.meta.dirname, '..');
const program = join(repo, 'dist/cli/main.js');
const { version } = JSON.parse(readFileSync(join(repo, 'package.json'), 'utf8')) as { version: string };

let home: string;
let running: ChildProcess[];

beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build.mjs', 'cli', 'renderer'], { cwd: repo, encoding: 'utf8' });
  expect([built.status, built.stderr]).toEqual([0, '']);
}, 120_000);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-'));
  running = [];
});
afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `skill-sub` in a home of its own; `said` and `noted` are what it has printed so far. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], LANG: 'en_US.UTF-8', HOME: home, SKILL_SUB_HOME: join(home, 'data'), ...env },
    stdio: 'pipe',
  });
  running.push(child);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      child.emit('printed');
    });
  }
  const ended = new Promise<Ended>((done) => child.once('close', (code) => done({ code, ...printed })));
  /** Resolves with the match when the program has printed it. */
  const prints = (pattern: RegExp, where: 'stdout' | 'stderr' = 'stdout') =>
    new Promise<RegExpExecArray>((found, failed) => {
      const look = () => {
        const match = pattern.exec(printed[where]);
        if (match !== null) found(match);
      };
      child.on('printed', look);
      child.once('close', () => failed(new Error(`ended without ${pattern}: ${printed.stdout}${printed.stderr}`)));
      look();
    });
  return { child, ended, prints };
}

function skillSub(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { child, ended } = start(args, env);
  child.stdin.end();
  return ended;
}

function addChain(name: string, steps: readonly object[], more: object = {}): string {
  const text = `${JSON.stringify({ name, ...more, steps: steps.map((step, at) => ({ index: at + 1, ...step })) }, null, 2)}\n`;
  mkdirSync(join(home, 'data/chains'), { recursive: true });
  writeFileSync(join(home, 'data/chains', `${name}.json`), text);
  return text;
}

/** The tiny programs of the end-to-end tests as a skill. */
function addPrograms(): void {
  const folder = join(home, '.claude/skills/programs');
  cpSync(join(repo, 'e2e/programs'), join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: programs\ndescription: Tiny programs.\n---\n');
}

/** A step that runs one of the tiny programs, once. */
const step = (entrypoint: string, args: readonly (string | number | boolean)[] = [], more: object = {}) => ({
  skill_name: 'programs',
  step_name: entrypoint.replace(/\.\w+$/, ''),
  action: `run ${entrypoint}`,
  depends_on: [],
  kind: 'skill_exec',
  with: { entrypoint, args },
  retry_policy: { max_retries: 0 },
  failure_mode: { on_exhaust: 'abort', is_milestone: false },
  ...more,
});

/** Processes whose environment names this run: the proof that a stop left nothing behind. */
function processesOf(runId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`SKILL_SUB_RUN_ID=${runId}`);
      } catch {
        return false;
      }
    });
}

/** A chain with three steps, tagged; its skills do not matter to the commands that only read. */
function addDemo(name = 'demo'): string {
  const ask = { failure_mode: { on_exhaust: 'abort', is_milestone: true } };
  return addChain(
    name,
    [
      { skill_name: '(内置)', step_name: 'Gather', action: 'collect it' },
      { skill_name: '(内置)', step_name: '核对', action: '核对 it', kind: 'manual', depends_on: [1], ...ask },
      { skill_name: '(内置)', step_name: 'Send', action: 'send it', depends_on: [2], ...ask },
    ],
    { description: 'A demonstration', tags: ['Daily', '报告'], exec_count: 2, updated_at: '2026-01-02T03:04:05' },
  );
}

describe('skill-sub', () => {
  it('prints its version, its help, and each command’s help', async () => {
    expect(await skillSub(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await skillSub(['-V'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await skillSub(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    const commands = ['list', 'show', 'validate', 'plan', 'run', 'runs', 'settings', 'serve'];
    for (const command of commands) expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(await skillSub([])).toEqual({ ...help, code: 2 });
    for (const command of commands) {
      const own = await skillSub([command, '--help']);
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toContain('--json');
    }
  });

  it.each([
    ['an unknown command', ['lsit'], /Did you mean list\?/],
    ['an unknown option', ['list', '--tga', 'x'], /--tga/],
    ['a value that is missing', ['list', '--tag'], /--tag/],
    ['a name that is missing', ['show'], /the name of a chain is missing/],
    ['one argument too many', ['list', 'x'], /too many arguments/],
    ['an unknown language', ['list', '--lang', 'de'], /"de"; there are en and zh-CN/],
    ['an unknown answer', ['run', '--name', 'x', '--on-question', 'maybe'], /maybe/],
    ['a number out of range', ['runs', '--limit', '0'], /"0" is not a whole number from 1 to 1000/],
    ['a port that is none', ['serve', '--port', 'http'], /"http" is not a whole number from 0 to 65535/],
  ])('ends with 2 for %s and says what is wrong', async (_what, args, said) => {
    const { code, stdout, stderr } = await skillSub(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^ERROR:USAGE: .+\nHINT: .+\n$/);
    expect(stderr).toMatch(said);
  });

  it('speaks the language of the machine, or the one that is asked for', async () => {
    addDemo();
    const han = /\p{Script=Han}/u;
    expect((await skillSub(['--help'])).stdout).not.toMatch(han);
    for (const env of [{ LANG: 'zh_CN.UTF-8' }, { LC_ALL: 'zh_CN.UTF-8', LANG: 'C' }, { LC_MESSAGES: 'zh_CN' }]) {
      expect((await skillSub(['--help'], env)).stdout).toContain('列出调用链');
    }
    expect((await skillSub(['plan', 'demo', '--lang=zh-CN'])).stdout).toMatch(/“demo”的计划：3 个步骤，3 组/);
    expect((await skillSub(['plan', 'demo', '--lang', 'en'], { LANG: 'zh_CN.UTF-8' })).stdout).toMatch(
      /^Plan of "demo"/,
    );
    const missing = await skillSub(['show', 'nobody', '--lang', 'zh-CN']);
    expect(missing.stderr).toMatch(/^ERROR:CHAIN_NOT_FOUND: 没有名为“nobody”的调用链。\nHINT: \S+\n$/);
    expect((await skillSub(['show', '--lang', 'zh-CN'])).stderr).toMatch(/^ERROR:USAGE: .*缺少调用链名称/);
  });

  it('is not disturbed by a reader that leaves early', async () => {
    addChain(
      'long',
      Array.from({ length: 3000 }, (_, at) => ({
        skill_name: '(内置)',
        step_name: `step ${at}`,
        action: 'x'.repeat(60),
      })),
    );
    for (const args of [
      ['show', 'long'],
      ['show', 'long', '--json'],
    ]) {
      const { child, ended } = start(args);
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('skill-sub list', () => {
  it('says that there are none, and prints an empty list for a program', async () => {
    expect(await skillSub(['list'])).toEqual({ code: 0, stdout: 'There are no chains yet.\n', stderr: '' });
    expect(await skillSub(['list', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  it('shows every chain in columns, also one that can not be read, and chooses by tag in any letter case', async () => {
    addDemo();
    addDemo('发布流水线');
    addChain('other', [], { tags: ['weekly'] });
    writeFileSync(join(home, 'data/chains/torn.json'), '{"name": "torn", "steps": [');
    const all = await skillSub(['list']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(/^NAME +STEPS +RUNS +UPDATED +TAGS\n/);
    expect(all.stdout).toMatch(/^demo {8}3 {6}2 {5}2026-01-02T03:04:05 +Daily, 报告$/m);
    expect(all.stdout).toMatch(/^发布流水线 {2}3 /m);
    expect(all.stdout).toMatch(/^torn .*can not be read \(CHAIN_FILE_BROKEN\)$/m);
    const tagged = await skillSub(['list', '--tag', 'daily', '--json']);
    expect(tagged.stderr).toBe('');
    const rows = JSON.parse(tagged.stdout) as { name: string }[];
    expect(rows.map(({ name }) => name).sort()).toEqual(['demo', '发布流水线']);
    expect(rows[0]).toMatchObject({ tags: ['Daily', '报告'], steps: 3, exec_count: 2, broken: null });
    // Twice the same: the second time from the kept list.
    expect(await skillSub(['list'])).toEqual(all);
  });

  it('hands no steering characters of a file to the terminal', async () => {
    addChain('a\u001b[31mb', [], { tags: ['x\u202ey\u0007'] });
    const { stdout } = await skillSub(['list']);
    expect(stdout).toContain('a\ufffd[31mb');
    for (const sign of ['\u001b', '\u0007', '\u202e']) expect(stdout).not.toContain(sign);
  });
});

describe('skill-sub show', () => {
  it('prints a chain for a person, and the file itself for a program', async () => {
    const text = addDemo();
    const shown = await skillSub(['show', '--name', 'demo']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('Description: A demonstration');
    expect(shown.stdout).toContain('Executed 2 times, changed 2026-01-02T03:04:05');
    expect(shown.stdout).toMatch(/^2\. 核对 \[\(内置\)\] <manual> {2}after 1$/m);
    expect(await skillSub(['show', 'demo'])).toEqual(shown);
    const { stdout } = await skillSub(['show', 'demo', '--json']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(text));
  });

  it('ends with 4 for a name that does not exist, and says which one is near', async () => {
    addDemo();
    addDemo('发布流水线');
    for (const [given, near] of [
      ['dmeo', 'demo'],
      ['发布流水', '发布流水线'],
    ] as const) {
      for (const command of ['show', 'validate', 'plan', 'run']) {
        const { code, stdout, stderr } = await skillSub([command, given, '--json']);
        expect([code, stdout]).toEqual([4, '']);
        expect(stderr).toBe(
          `ERROR:CHAIN_NOT_FOUND: There is no chain named "${given}".\nHINT: Did you mean "${near}"?\n`,
        );
      }
    }
    expect((await skillSub(['show', 'zzzzzzzz'])).stderr).not.toContain('Did you mean');
  });

  it('names the place of a fault in a file that can not be read', async () => {
    mkdirSync(join(home, 'data/chains'), { recursive: true });
    writeFileSync(join(home, 'data/chains/torn.json'), '{\n  "name": "torn",\n  "steps": [}\n}');
    const { code, stdout, stderr } = await skillSub(['show', 'torn', '--json']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^ERROR:CHAIN_FILE_BROKEN: \S*torn\.json:3:13.*\nHINT: .+\n$/);
  });
});

describe('skill-sub validate', () => {
  it('ends with 0 without errors, with 1 with errors, and counts in plain English', async () => {
    addPrograms();
    addChain('fine', [step('echo.mjs'), step('ok.py', [1, true, 'x'], { failure_mode: { on_exhaust: 'abort' } })]);
    expect(await skillSub(['validate', 'fine'])).toEqual({
      code: 0,
      stdout: '"fine" has no problems.\n',
      stderr: '',
    });
    addChain('bad', [step('echo.mjs'), step('echo.mjs', [], { step_name: 'b', skill_name: 'no-such-skill' })]);
    const bad = await skillSub(['validate', 'bad']);
    expect(bad).toMatchObject({ code: 1, stderr: '' });
    expect(bad.stdout).toMatch(/^error: The skill "no-such-skill" of step 2 was not found\./);
    expect(bad.stdout).toMatch(/^1 error, \d+ warnings?$/m);
    const asJson = await skillSub(['validate', 'bad', '--json']);
    expect(asJson).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      name: 'bad',
      valid: false,
      errors: 1,
      problems: [{ severity: 'error', code: 'skill_missing', text: expect.any(String) }],
    });
  });
});

describe('skill-sub plan', () => {
  it('shows the groups, what happens on failure, and more with -v', async () => {
    addDemo();
    const short = await skillSub(['plan', '--name', 'demo']);
    expect(short).toMatchObject({ code: 0, stderr: '' });
    expect(short.stdout).toMatch(/^Plan of "demo": 3 steps in 3 groups$/m);
    expect(short.stdout).toMatch(/up to 3 retries, then ends the run \(milestone\)/);
    const long = await skillSub(['plan', 'demo', '-v']);
    expect(long.stdout.length).toBeGreaterThan(short.stdout.length);
    const { code, stdout, stderr } = await skillSub(['plan', 'demo', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const plan = JSON.parse(stdout) as Record<string, unknown>;
    expect(plan).toMatchObject({ chain_name: 'demo', total_steps: 3, missing_skills: [] });
    expect(plan['execution_groups']).toMatchObject([
      { group_index: 1, can_parallel: false, steps: [{ step_index: 1, step_name: 'Gather' }] },
      { steps: [{ step_index: 2 }] },
      { steps: [{ step_index: 3 }] },
    ]);
  });

  it('ends with 1 when the chain can not run', async () => {
    addChain('bad', [step('echo.mjs', [], { skill_name: 'no-such-skill' })]);
    const { code, stdout } = await skillSub(['plan', 'bad', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ missing_skills: ['no-such-skill'] });
  });
});

describe('skill-sub run', () => {
  beforeEach(addPrograms);

  it('carries a chain out, tells it, counts it, and is in the history', async () => {
    addChain('good', [step('echo.mjs', ['one']), step('ok.py', ['two', 3, true], { depends_on: [1] })]);
    const told = await skillSub(['run', '--name', 'good']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(
      /^Run (\S+) of "good"\n1 echo: try 1\n1 echo: .+\n2 ok: try 1\n2 ok: .+\nRun \1: .+ s\n$/,
    );
    const asJson = await skillSub(['run', 'good', '--json']);
    expect(asJson).toMatchObject({ code: 0, stderr: '' });
    const value = JSON.parse(asJson.stdout) as { run_id: string; events: { kind: string; output?: unknown }[] };
    expect(value).toMatchObject({ chain_name: 'good', state: 'succeeded', steps: [{}, {}] });
    const outputs = value.events.filter(({ kind }) => kind === 'try_succeeded');
    // A number and a truth value of the chain arrive as text.
    expect(outputs[1]).toMatchObject({ output: { json: { args: ['two', '3', 'true'] } } });
    expect(JSON.parse((await skillSub(['show', 'good', '--json'])).stdout)).toMatchObject({ exec_count: 2 });
    const history = JSON.parse((await skillSub(['runs', '--json'])).stdout) as { run_id: string; state: string }[];
    expect(history).toHaveLength(2);
    expect(history[0]).toMatchObject({ run_id: value.run_id, state: 'succeeded' });
    const table = await skillSub(['runs', '--chain', 'good', '--limit', '1']);
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(table.stdout).toMatch(/^RUN +CHAIN +STATE +STARTED +DURATION\n/);
    expect((await skillSub(['runs', '--chain', 'other'])).stdout).toBe('There are no runs yet.\n');
  });

  it('ends with 1 when it failed, and with the error of a chain that can not run', async () => {
    addChain('bad', [step('fail.mjs', ['3', 'boom'])]);
    const failed = await skillSub(['run', 'bad']);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/1 fail: .*boom/);
    addChain('wrong', [step('echo.mjs', [], { skill_name: 'no-such-skill' })]);
    const refused = await skillSub(['run', 'wrong', '--json']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^ERROR:CHAIN_INVALID: The chain has 1 error: .+\nHINT: .+\n$/);
  });

  it('answers a question as told, or as typed; with nobody there it aborts', async () => {
    const ask = { failure_mode: { on_exhaust: 'ask', is_milestone: false } };
    addChain('asks', [step('fail.mjs', ['1', 'no'], ask), step('echo.mjs', [], { depends_on: [1] })]);
    const skipped = await skillSub(['run', 'asks', '--on-question', 'skip', '--json']);
    expect(skipped.code).toBe(0);
    expect(JSON.parse(skipped.stdout)).toMatchObject({ state: 'succeeded', steps: [{ state: 'skipped' }, {}] });
    expect((await skillSub(['run', 'asks'])).code).toBe(1);
    const { child, ended, prints } = start(['run', 'asks', '--on-question', 'ask', '--json']);
    await prints(/needs an answer \(retry = .+, skip = .+, abort = .+\): $/, 'stderr');
    child.stdin.write('what?\n');
    await prints(/"what\?" is none of retry, skip, abort/, 'stderr');
    child.stdin.write('skip\n');
    const typed = await ended;
    expect(typed.code).toBe(0);
    expect(JSON.parse(typed.stdout)).toMatchObject({ state: 'succeeded' });
  });

  it('stops on SIGINT with every process of the run, and proves it', async () => {
    addChain('tree', [step('forks.mjs'), step('orphan.mjs')]);
    mkdirSync(join(home, 'data'), { recursive: true });
    writeFileSync(join(home, 'data/config.json'), '{"stop_grace_seconds": 1}');
    const { child, ended, prints } = start(['run', 'tree']);
    const runId = (await prints(/^Run (\S+) of/))[1]!;
    // forks: itself and two children; orphan: itself and a grandchild in a session of its own.
    await vi.waitFor(() => expect(processesOf(runId)).toHaveLength(5), { timeout: 20_000, interval: 20 });
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Stopping; .+\nStopped in \d+ ms: 2 processes started, 0 left\.\n$/);
    expect(stdout).toContain(`Run ${runId}: `);
    expect(processesOf(runId)).toEqual([]);
    expect(JSON.parse((await skillSub(['runs', '--json'])).stdout)).toMatchObject([
      { run_id: runId, state: 'cancelled', steps_by_state: { cancelled: 2 } },
    ]);
  });

  it('stops at once on the second SIGINT, whatever the grace is', async () => {
    addChain('deaf', [step('ignores-sigterm.mjs')]);
    mkdirSync(join(home, 'data'), { recursive: true });
    writeFileSync(join(home, 'data/config.json'), '{"stop_grace_seconds": 60}');
    const { child, ended, prints } = start(['run', 'deaf', '--json']);
    await vi.waitFor(() => expect(readdirSync(join(home, 'data/runs'))).toHaveLength(1), { timeout: 20_000 });
    const [runId] = readdirSync(join(home, 'data/runs')) as [string];
    const logs = join(home, 'data/runs', runId, 'logs');
    const printed = () =>
      readdirSync(logs)
        .map((name) => readFileSync(join(logs, name), 'utf8'))
        .join('');
    await vi.waitFor(() => expect(printed()).toContain('"pid"'), { timeout: 20_000 });
    child.kill('SIGINT');
    await prints(/Stopping/, 'stderr');
    await vi.waitFor(() => expect(printed()).toContain('still here'), { timeout: 20_000 });
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'cancelled' });
    expect(processesOf(runId)).toEqual([]);
  });

  it('goes on to its end when its reader leaves', async () => {
    addChain('good', [step('echo.mjs'), step('ok.py', [], { depends_on: [1] })]);
    const { child, ended } = start(['run', 'good']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await skillSub(['runs', '--json'])).stdout)).toMatchObject([{ state: 'succeeded' }]);
  });
});

describe('skill-sub settings', () => {
  it('prints the effective values, and says what is wrong with the file', async () => {
    mkdirSync(join(home, 'data'));
    const file = join(home, 'data/config.json');
    writeFileSync(file, '{"max_parallel": 7, "naming_mode": "sometimes", "unknown": 1}');
    const config = await skillSub(['settings', '--get-config']);
    expect(config.code).toBe(0);
    expect(JSON.parse(config.stdout)).toMatchObject({ max_parallel: 7, naming_mode: 'manual' });
    expect(config.stderr).toMatch(/^setting naming_mode: .+; the default is used\n$/);
    const human = await skillSub(['settings']);
    expect(human.stdout).toMatch(/^File: .+config\.json\n/);
    expect(human.stdout).toContain('max_parallel = 7\n');
    expect(JSON.parse((await skillSub(['settings', '--json'])).stdout)).toEqual(JSON.parse(config.stdout));
    expect(readFileSync(file, 'utf8')).toContain('sometimes');
    writeFileSync(file, '{"max_parallel": ');
    const broken = await skillSub(['settings', '--get-config']);
    expect(JSON.parse(broken.stdout)).toMatchObject({ max_parallel: 4 });
    expect(broken.stderr).toMatch(/could not be read; it is kept as .+config\.json\.broken-/);
  });
});

describe('skill-sub serve', () => {
  it('serves this machine with a token until it is told to end', async () => {
    const { child, ended, prints } = start(['serve', '--port', '0']);
    const url = new URL((await prints(/^(http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64})\n/))[1]!);
    const token = url.hash.slice('#token='.length);
    const call = (authorization: string) =>
      fetch(`${url.origin}/rpc/app/info`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: '{}',
      });
    expect((await call('Bearer x')).status).toBe(401);
    const answer = await call(`Bearer ${token}`);
    expect(await answer.json()).toMatchObject({ json: { version, data_home: join(home, 'data') } });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/Ending\.\n$/), stderr: '' });
    await expect(call(`Bearer ${token}`)).rejects.toThrow();
  });

  it('prints one JSON object with --json', async () => {
    const { child, ended, prints } = start(['serve', '--json']);
    await prints(/\n}\n/);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringContaining('#token='), pid: child.pid });
  });

  it('says that a port is taken', async () => {
    const taken = createServer();
    const port = await new Promise<number>((listening) => {
      taken.listen(0, '127.0.0.1', () => listening((taken.address() as { port: number }).port));
    });
    const { code, stdout, stderr } = await skillSub(['serve', '--port', String(port)]);
    taken.close();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^ERROR:USAGE: .*port ${port} can not be used: .*EADDRINUSE`));
  });

  it('ends the runs of its own with all their processes', async () => {
    addPrograms();
    addChain('tree', [step('forks.mjs')]);
    const { child, ended, prints } = start(['serve', '--json']);
    await prints(/\n}\n/);
    const { url } = JSON.parse((await prints(/{[\s\S]*\n}\n/))[0]) as { url: string };
    const { origin, hash } = new URL(url);
    const answer = await fetch(`${origin}/rpc/runs/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${hash.slice('#token='.length)}` },
      body: JSON.stringify({ json: { chain_name: 'tree' } }),
    });
    const { json } = (await answer.json()) as { json: { run_id: string } };
    await vi.waitFor(() => expect(processesOf(json.run_id)).toHaveLength(3), { timeout: 20_000, interval: 20 });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(processesOf(json.run_id)).toEqual([]);
    expect(JSON.parse((await skillSub(['runs', '--json'])).stdout)).toMatchObject([{ state: 'interrupted' }]);
  });
});

describe('the application’s own manifest', () => {
  it('names only commands and options that this program has', async () => {
    addPrograms();
    addChain('demo', [step('echo.mjs')]);
    const manifest = ActionManifest.parse(JSON.parse(readFileSync(join(repo, 'assets/actions.json'), 'utf8')));
    const commands = manifest.actions.filter(({ entrypoint }) => entrypoint.type === 'cli');
    expect(commands.length).toBeGreaterThan(3);
    for (const action of commands) {
      const fields = Object.keys(action.inputSchema?.properties ?? {});
      const input = Object.fromEntries(
        fields.map((field) => [
          field,
          /name|chain/.test(field) ? 'demo' : action.inputSchema!.properties![field]!.default,
        ]),
      );
      const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const { code, stdout, stderr } = await skillSub(actionArgv(action, validateInput(action, values)));
      expect([action.id, code, stderr]).toEqual([action.id, 0, '']);
      expect(JSON.parse(stdout)).toBeDefined();
    }
  });

  it('is found through a link to the program', async () => {
    symlinkSync(program, join(home, 'skill-sub'));
    const result = spawnSync(process.execPath, [join(home, 'skill-sub'), '--version'], { encoding: 'utf8' });
    expect(result.stdout).toBe(`${version}\n`);
  });
});
