import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Action } from '../../../shared/action/manifest.ts';
import type { Chain, Step } from '../../../shared/chain/chain.ts';
import { formatNewChain, parseChainFile } from '../../../shared/chain/chain-file.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { createLog, silentLog } from '../log.ts';
import { createTools } from '../tools/tool-registry.ts';
import { createRunService, type RunService, type RunServiceOptions } from './run-service.ts';

/** For tests: a data home in a folder of its own with chains, one skill made of tiny real programs, and its runs. */
export interface TestHome {
  readonly folder: string;
  readonly runs: RunService;
  readonly settings: Settings;
  /** Names of the chains whose execution was counted. */
  readonly counted: string[];
  /** Delays that a retry asked for; they are over at once. */
  readonly waits: number[];
  readonly warnings: string[];
  chainFile(name: string): string;
  writeChain(name: string, chain: Chain): void;
  /** Another service on the same folder, as another process would have. */
  another(): RunService;
  dispose(): Promise<void>;
}

export type StepFields = Partial<Omit<Step, 'id'>>;

export const programsFolder = resolve(import.meta.dirname, '../../../e2e/programs');

/** A chain of steps by id; a step without `depends_on` depends on none. */
export function chainOf(name: string, steps: Readonly<Record<string, StepFields>>): Chain {
  return {
    name,
    steps: Object.entries(steps).map(([id, fields]) => ({
      id,
      skill_name: '(内置)',
      step_name: id,
      action: `do ${id}`,
      depends_on: [],
      failure_mode: { is_milestone: false },
      ...fields,
    })),
  };
}

export function testHome(folder: string): TestHome {
  const settings = { ...defaultSettings(), stop_grace_seconds: 1 };
  const counted: string[] = [];
  const waits: number[] = [];
  const warnings: string[] = [];
  let ids = 0;
  mkdirSync(join(folder, 'chains'), { recursive: true });
  const chainFile = (name: string) => join(folder, 'chains', `${name}.json`);
  const tools = createTools({
    settings: { values: () => settings },
    memoryFolder: join(folder, 'memory'),
    version: '0',
    log: silentLog,
    now: Date.now,
  });
  const options: RunServiceOptions = {
    home: folder,
    chains: {
      async read(name) {
        const text = readFileSync(chainFile(name), 'utf8');
        const revision = createHash('sha256').update(text).digest('hex');
        return { ...parseChainFile(text), text, revision };
      },
      async countExecution(name) {
        counted.push(name);
      },
    },
    skills: {
      async list() {
        return { roots: [], rows: [programsSkill], counts: { found: 1, by_state: readyOnly }, duration_ms: 0 };
      },
      async find(name) {
        return name === programsSkill.name ? programsSkill : null;
      },
    },
    actions: {
      async list() {
        const actions = [{ action: sayAction, placements: [], refused: [] }];
        const { id, name } = programsSkill;
        return [{ slug: name, skill_id: id, skill_name: name, file: '', actions, problems: [] }];
      },
      async resolve(skill, action) {
        if (action !== sayAction.id) throw new AppError('ACTION_NOT_FOUND', { skill, action });
        return { action: sayAction, slug: skill, skill: programsSkill };
      },
      async command(_resolved, input) {
        const before = [join(programsFolder, 'echo.mjs'), '--password'];
        const secret = String(input['password']);
        return {
          command: process.execPath,
          args: [...before, secret],
          cwd: programsFolder,
          env: {},
          maskedArgv: [process.execPath, ...before, '***'],
          secrets: [secret],
          timeoutMs: 60_000,
        };
      },
    },
    tools,
    settings: { values: () => settings },
    log: createLog((level, message) => {
      if (level === 'warn' || level === 'error') warnings.push(message);
    }),
    now: Date.now,
    newId() {
      ids += 1;
      return `${process.pid}x${ids}`;
    },
    startTimer(callback, ms) {
      waits.push(ms);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
  const services = [createRunService(options)];
  return {
    folder,
    runs: services[0]!,
    settings,
    counted,
    waits,
    warnings,
    chainFile,
    writeChain: (name, chain) => writeFileSync(chainFile(name), formatNewChain(chain)),
    another() {
      const service = createRunService(options);
      services.push(service);
      return service;
    },
    async dispose() {
      for (const service of services) await service.dispose();
      await tools.dispose();
    },
  };
}

const readyOnly = { ready: 1, shadowed: 0, not_eligible: 0, disabled: 0, broken: 0 };

const programsSkill: SkillRow = {
  id: 'programs',
  name: 'programs',
  slug: null,
  description: '',
  emoji: null,
  version: null,
  state: 'ready',
  notices: [],
  shadowed_by: null,
  root_id: 'test',
  folder: programsFolder,
  file: join(programsFolder, 'SKILL.md'),
  size_bytes: 0,
  has_actions: true,
  scripts: [
    ...['echo.mjs', 'fail.mjs', 'forever.mjs', 'ignores-sigterm.mjs', 'forks.mjs', 'orphan.mjs', 'chatty.mjs'],
    ...['flaky.mjs', 'bad-bytes.mjs', 'deaf.mjs', 'ok.py', 'link.mjs'],
  ],
};

const sayAction: Action = {
  id: 'say',
  entrypoint: { type: 'cli', command: 'say', args: ['--password', '{{password}}'] },
  inputSchema: { type: 'object', properties: { password: { type: 'string', sensitive: true } } },
};
