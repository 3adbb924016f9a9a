import type { Action, Job, SkillActions } from '../../shared/action/manifest.ts';
import type { ChainSummary, SettingsView } from '../../shared/api/contract.ts';
import type { RunEvent, RunHeader, RunSummary } from '../../shared/run/event.ts';
import { defaultSettings } from '../../shared/settings/settings.ts';
import { type SkillRow, type SkillScan, skillStates } from '../../shared/skill/skill.ts';

export const someRevision = 'a'.repeat(64);
const someTime = '2026-01-05T09:30:00.000Z';

export function aChain(name: string, more: Partial<ChainSummary> = {}): ChainSummary {
  return {
    name,
    file: `/home/me/data/chains/${name}.json`,
    revision: someRevision,
    description: '',
    tags: [],
    steps: 3,
    milestones: 1,
    exec_count: 0,
    updated_at: someTime,
    problems: { errors: 0, warnings: 0 },
    broken: null,
    last_run: null,
    ...more,
  };
}

export function aRun(runId: string, more: Partial<RunSummary> = {}): RunSummary {
  return {
    run_id: runId,
    chain_name: 'release',
    state: 'succeeded',
    started_at: someTime,
    ended_at: '2026-01-05T09:30:12.000Z',
    duration_ms: 12_000,
    steps_total: 3,
    steps_by_state: { succeeded: 3 },
    retries: 0,
    open_questions: 0,
    source: 'window',
    damaged: false,
    ...more,
  };
}

export function aSkill(name: string, more: Partial<SkillRow> = {}): SkillRow {
  return {
    id: `id-${name}`,
    name,
    slug: null,
    description: `What ${name} does.`,
    emoji: null,
    version: null,
    state: 'ready',
    notices: [],
    shadowed_by: null,
    root_id: 'claude',
    folder: `/home/me/.claude/skills/${name}`,
    file: `/home/me/.claude/skills/${name}/SKILL.md`,
    size_bytes: 400,
    has_actions: false,
    scripts: [],
    ...more,
  };
}

export function aScan(rows: SkillRow[]): SkillScan {
  const counts = Object.fromEntries(
    skillStates.map((state) => [state, rows.filter((row) => row.state === state).length]),
  ) as SkillScan['counts']['by_state'];
  return {
    roots: [
      {
        id: 'claude',
        host: 'claude-code',
        folder: '/home/me/.claude/skills',
        exists: true,
        found: rows.length,
        notices: [],
      },
    ],
    rows,
    counts: { found: rows.length, by_state: counts },
    duration_ms: 12,
  };
}

export function aManifest(skillName: string, actions: readonly Action[]): SkillActions {
  return {
    slug: skillName,
    skill_id: `id-${skillName}`,
    skill_name: skillName,
    file: `/home/me/.claude/skills/${skillName}/assets/actions.json`,
    actions: actions.map((action) => ({
      action,
      placements: (action.placements ?? []).filter((one) => one === 'toolbar' || one === 'skill-detail'),
      refused: [],
    })),
    problems: [],
  };
}

export function aJob(id: string, more: Partial<Job> = {}): Job {
  return {
    id,
    skill_slug: 'words',
    skill_name: 'words',
    action_id: 'count',
    title: 'Count words',
    input: {},
    argv: ['python3', 'scripts/main.py', 'count'],
    source: 'toolbar',
    state: 'succeeded',
    progress: null,
    progress_text: null,
    created_at: someTime,
    started_at: someTime,
    ended_at: '2026-01-05T09:30:02.000Z',
    exit_code: 0,
    result: null,
    error: null,
    output_head: '',
    output_tail: '',
    output_bytes: 0,
    ...more,
  };
}

export function someSettings(more: Partial<SettingsView> = {}): SettingsView {
  const { values = {}, ...rest } = more;
  return {
    values: { ...defaultSettings(), ...values },
    changed: Object.keys(values),
    problems: [],
    file: '/home/me/data/config.json',
    set_aside: null,
    ...rest,
  };
}

/** The journal of a run as the services hand it out; `events` get their numbers here, one second apart. */
export function aJournal(
  steps: readonly object[],
  events: readonly JournalEvent[],
  more: Partial<RunHeader> = {},
): { header: RunHeader; events: RunEvent[]; damaged: boolean } {
  const start = Date.parse(someTime);
  const text = JSON.stringify({
    name: 'release',
    steps: steps.map((step, at) => ({ index: at + 1, skill_name: 'words', action: 'work', ...step })),
  });
  const header: RunHeader = {
    kind: 'run_header',
    version: 1,
    run_id: 'r-1',
    chain_name: 'release',
    chain_text: text,
    chain_revision: someRevision,
    settings: { default_max_retries: 3, max_parallel: 4 },
    started_at: someTime,
    source: 'window',
    process: { pid: 7, started_at_ms: start, host: 'here' },
    ...more,
  };
  return {
    header,
    events: events.map((event, seq) => ({ seq, at: start + seq * 1000, ...event }) as RunEvent),
    damaged: false,
  };
}

type WithoutPlace<Event> = Event extends RunEvent ? Omit<Event, 'seq' | 'at'> : never;
export type JournalEvent = WithoutPlace<RunEvent>;
