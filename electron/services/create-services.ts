import { join } from 'node:path';
import type { ChainSummary } from '../../shared/api/contract.ts';
import type { Chain, ChainProblem } from '../../shared/chain/chain.ts';
import { parseChainFile } from '../../shared/chain/chain-file.ts';
import { checkChain, mergeProblems } from '../../shared/chain/check-chain.ts';
import { chainFileName } from '../../shared/chain/file-name.ts';
import { makePlan } from '../../shared/run/plan.ts';
import type { Plan } from '../../shared/run/plan-schema.ts';
import type { Locale } from '../../shared/text/texts.ts';
import { type ActionCatalog, type ActionCatalogOptions, createActionCatalog } from './actions/action-catalog.ts';
import { agentNames } from './agents/agent-profiles.ts';
import { planContexts } from './agents/plan-contexts.ts';
import { type MachineFacts, machineFacts } from './chains/chain-facts.ts';
import { type ChainStore, createChainStore } from './chains/chain-store.ts';
import { createEventHub, type EventHub } from './event-hub.ts';
import { createJobService, type JobService } from './jobs/job-service.ts';
import type { Log } from './log.ts';
import { runProcess } from './processes/run-process.ts';
import { createRunService, type RunService } from './runs/run-service.ts';
import { type InstalledSamples, installSamples } from './samples/install-samples.ts';
import { createSettingsStore, type SettingsStore } from './settings/settings-store.ts';
import { createSkillLibrary, type SkillLibrary } from './skills/skill-library.ts';
import { createTools, type Tools } from './tools/tool-registry.ts';

export interface ServicesOptions {
  /** The data home; see `findHomes`. */
  readonly dataHome: string;
  readonly skillsHome: string;
  readonly homeDir: string;
  /** The folder that holds `assets/`. */
  readonly appFolder: string;
  readonly version: string;
  /** Language of the machine, for texts that the services make themselves. */
  readonly locale: Locale;
  /** How this program's own command line is called; absent = this process's Node. */
  readonly ownCli?: NonNullable<ActionCatalogOptions['ownCli']>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Everything that a host can offer; it carries calls to these and holds no logic itself. */
export interface Services {
  readonly options: ServicesOptions;
  readonly log: Log;
  readonly settings: SettingsStore;
  readonly chains: ChainStore;
  readonly skills: SkillLibrary;
  readonly actions: ActionCatalog;
  readonly jobs: JobService;
  readonly runs: RunService;
  readonly tools: Tools;
  readonly events: EventHub;
  /** Rows of the chain list, each with its check and its newest run. */
  listChains(): Promise<ChainSummary[]>;
  /** What is wrong with a chain on this machine. Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN. */
  validateChain(name: string): Promise<ChainProblem[]>;
  /** Plans `text` (what is on a screen) or the saved chain. Errors: CHAIN_NOT_FOUND, CHAIN_FILE_BROKEN. */
  planChain(name: string, text: string | undefined, locale: Locale): Promise<Plan>;
  installSamples(): Promise<InstalledSamples>;
  /** Runs of this process that have not ended: `dispose` would stop them. */
  countOwnActiveRuns(): Promise<number>;
  /** Ends the runs and jobs of this process and every watcher. */
  dispose(): Promise<void>;
}

/** Builds the services of one data home and connects them. The caller disposes them. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const { dataHome: home, skillsHome, homeDir, appFolder, log, now, newId } = options;
  const events = createEventHub();
  const settings = createSettingsStore({
    home,
    defaultsFile: join(appFolder, 'assets', 'default_config.json'),
    log,
    now,
  });
  const chains = createChainStore({ home, now, log });
  const skills = createSkillLibrary({ homeDir, skillsHome, settings, log });
  const actions = createActionCatalog({
    skills,
    settings,
    ownManifestFile: join(appFolder, 'assets', 'actions.json'),
    ...(options.ownCli === undefined ? {} : { ownCli: options.ownCli }),
    log,
  });
  const tools = createTools({
    settings,
    memoryFolder: join(home, 'memory'),
    version: options.version,
    log,
    now,
    homeDir,
  });
  const runs = createRunService({ home, chains, skills, actions, tools, settings, log, now, newId });
  const jobs = createJobService({ home, actions, settings, runProcess, log, now, newId });

  async function facts(): Promise<MachineFacts> {
    const [scan, manifests] = await Promise.all([skills.list(), actions.list()]);
    const values = settings.values();
    return machineFacts(scan, manifests, values, agentNames(values));
  }

  const check = (known: MachineFacts) => async (chain: Chain, problems: readonly ChainProblem[]) =>
    mergeProblems(problems, checkChain(chain, known));

  const services: Services = {
    options,
    log,
    settings,
    chains,
    skills,
    actions,
    jobs,
    runs,
    tools,
    events,
    async listChains() {
      const known = await facts();
      const [rows, history] = await Promise.all([chains.list(check(known)), runs.list()]);
      const newest = new Map<string, ChainSummary['last_run']>();
      for (const { chain_name: name, run_id, state, started_at } of history) {
        const before = newest.get(name);
        if (before && before.started_at >= started_at) continue;
        newest.set(name, { run_id, state, started_at });
      }
      return rows.map((row) => ({ ...row, last_run: newest.get(row.name) ?? null }));
    },
    async validateChain(name) {
      const { chain, problems } = await chains.read(name);
      return check(await facts())(chain, problems);
    },
    async planChain(name, text, locale) {
      const { chain, problems } =
        text === undefined ? await chains.read(name) : parseChainFile(text, chainFileName(name));
      const known = await facts();
      const contexts = await planContexts(chain, skills);
      const plan = makePlan(chain, {
        settings: settings.values(),
        skillPath: known.skillPath,
        facts: known,
        locale,
        contextOf: ({ id }) => contexts.get(id),
      });
      return { ...plan, problems: mergeProblems(problems, plan.problems) };
    },
    installSamples: () => installSamples({ samplesFolder: join(appFolder, 'assets', 'samples'), skillsHome, chains }),
    async countOwnActiveRuns() {
      const active = (await runs.list()).filter(({ state }) => state === 'running' || state === 'waiting');
      const headers = await Promise.all(active.map(({ run_id }) => runs.get(run_id).then(({ header }) => header)));
      return headers.filter((header) => header.process.pid === process.pid).length;
    },
    async dispose() {
      // Runs and jobs end first: they still write through the stores.
      await Promise.all([runs.dispose(), jobs.dispose()]);
      await tools.dispose();
      await Promise.all([skills.dispose(), chains.dispose(), settings.dispose()]);
    },
  };
  return services;
}

/**
 * Starts following changes on disk and tells them to the watchers of `events`; for hosts that stay. Also marks runs
 * whose process died.
 */
export async function followChanges(services: Services): Promise<void> {
  const { events, chains, skills, settings, runs, jobs, log } = services;
  chains.onChange((names) => events.publish({ kind: 'chains_changed', names }));
  skills.onChange(() => events.publish({ kind: 'skills_changed' }));
  settings.onChange(() => events.publish({ kind: 'settings_changed' }));
  runs.onChange((run) => events.publish({ kind: 'run_changed', run }));
  jobs.onChange((job) => events.publish({ kind: 'job_changed', job }));
  await runs.recoverInterrupted().catch((error: unknown) => log.error('interrupted runs were not marked', { error }));
}
