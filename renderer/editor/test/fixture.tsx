import type { ReactElement } from 'react';
import type { ChainDocument } from '../../../shared/api/contract.ts';
import { EditorContext } from '../state/editor-context.ts';
import { createEditorStore, type EditorStore } from '../state/editor-store.ts';
import { type EditorFacts, noFacts } from '../state/skill-facts.ts';

export interface FileStep {
  readonly step_name: string;
  readonly skill_name?: string;
  readonly action?: string;
  readonly depends_on?: readonly number[];
  readonly [field: string]: unknown;
}

/** The text of a chain file; every step that says nothing stands alone and is done by a person. */
export function chainText(steps: readonly FileStep[], more: object = {}, name = 'release'): string {
  const written = steps.map((step, at) => ({
    index: at + 1,
    skill_name: '',
    action: `Do ${step.step_name}.`,
    depends_on: [],
    ...step,
  }));
  return `${JSON.stringify({ name, ...more, steps: written }, null, 2)}\n`;
}

/** `Step 1` to `Step <count>`, each waiting for the one before. */
export function row(count: number): FileStep[] {
  return Array.from({ length: count }, (_, at) => ({
    step_name: `Step ${at + 1}`,
    depends_on: at === 0 ? [] : [at],
  }));
}

export function aDocument(text: string, more: Partial<ChainDocument> = {}): ChainDocument {
  return {
    name: 'release',
    file: '/home/me/data/chains/release.json',
    text,
    revision: 'a'.repeat(64),
    layout: { positions: {} },
    draft: null,
    ...more,
  };
}

/** The store of an open chain. */
export function openStore(steps: readonly FileStep[], facts: Partial<EditorFacts> = {}): EditorStore {
  const store = createEditorStore(aDocument(chainText(steps)));
  store.getState().setFacts({ ...noFacts, ...facts });
  return store;
}

/** A part of the editor over an open chain. */
export function inEditor(store: EditorStore, part: ReactElement): ReactElement {
  return <EditorContext value={store}>{part}</EditorContext>;
}

/** `A -> B` for every link, by names, in the order of the file. */
export function linksOf(store: EditorStore): string[] {
  const { view } = store.getState();
  const nameOf = (id: string) => view.cards.get(id)?.name ?? id;
  return view.links.map(({ from, to }) => `${nameOf(from)} -> ${nameOf(to)}`);
}

export function namesOf(store: EditorStore): string[] {
  return store.getState().doc.chain.steps.map((step) => step.step_name);
}

export function idOf(store: EditorStore, name: string): string {
  const step = store.getState().doc.chain.steps.find((other) => other.step_name === name);
  if (step === undefined) throw new Error(`There is no step "${name}".`);
  return step.id;
}
