import { create } from 'zustand';
import type { Job, SkillActions } from '../../shared/action/manifest.ts';
import { api } from '../api/client.ts';
import { noteJob } from './jobs-store.ts';

/** An action that somebody pressed, and where; input form, confirmation and result are shown by the toolbar. */
export interface AskedAction {
  readonly slug: string;
  readonly actionId: string;
  readonly source: 'toolbar' | 'skill-detail';
}

interface ActionRunner {
  readonly asked: AskedAction | null;
  /** Jobs of this window that are at work while nobody looks at them. */
  readonly unseen: readonly string[];
}

export const useActionRunner = create<ActionRunner>(() => ({ asked: null, unseen: [] }));

/** Opens an action's form, its confirmation or, when it needs neither, runs it at once. */
export function askAction(asked: AskedAction): void {
  useActionRunner.setState({ asked });
}

/** Closes what is shown. `runningJob` goes on, and its end will be told. */
export function closeAction(runningJob: string | null): void {
  useActionRunner.setState(({ unseen }) => ({
    asked: null,
    unseen: runningJob === null ? unseen : [...unseen, runningJob],
  }));
}

/** The end of a job was told, or somebody has looked at it. */
export function seenJob(id: string): void {
  useActionRunner.setState(({ unseen }) => ({ unseen: unseen.filter((other) => other !== id) }));
}

/** Starts the job and puts it into the list. Throws what `actions.run` throws. */
export async function startAction(
  asked: AskedAction,
  input: Readonly<Record<string, string | number | boolean>>,
  confirmed: boolean,
): Promise<Job> {
  const job = await api.actions.run({
    skill_slug: asked.slug,
    action_id: asked.actionId,
    input: { ...input },
    source: asked.source,
    confirmed,
  });
  noteJob(job);
  return job;
}

/** Asks the job's whole process tree to end. Throws what `jobs.cancel` throws. */
export async function stopJob(id: string): Promise<Job> {
  const job = await api.jobs.cancel({ id });
  noteJob(job);
  return job;
}

export type OfferedAction = SkillActions['actions'][number];

/** The action that was asked for, as its manifest has it now; null when it is gone. */
export function findAction(
  manifests: readonly SkillActions[] | null,
  asked: Pick<AskedAction, 'slug' | 'actionId'>,
): { readonly manifest: SkillActions; readonly offered: OfferedAction } | null {
  const manifest = manifests?.find((other) => other.slug === asked.slug);
  const offered = manifest?.actions.find(({ action }) => action.id === asked.actionId);
  return manifest === undefined || offered === undefined ? null : { manifest, offered };
}
