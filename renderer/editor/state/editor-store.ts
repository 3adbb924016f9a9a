import { createStore, type StoreApi } from 'zustand/vanilla';
import { applyEdit } from '../../../shared/chain/apply-edit.ts';
import type { Chain, ChainLayout, ChainProblem, Step } from '../../../shared/chain/chain.ts';
import { parseChainFile, serializeChain } from '../../../shared/chain/chain-file.ts';
import type { ChainEdit } from '../../../shared/chain/edit.ts';
import { sameJson } from '../../../shared/chain/json-value.ts';
import { AppError, type WireError } from '../../../shared/errors/app-error.ts';
import { createHistory, type History, push, redo, undo } from '../../../shared/history/history.ts';
import type { Point, Positions } from '../layout/layered-layout.ts';
import { placeSteps, snapToGrid, tidySome } from '../layout/place-steps.ts';
import { type ChainView, viewChain } from './chain-view.ts';
import { type ConnectRefusal, connectCheck } from './connect-check.ts';
import { countersOf, withoutCounters } from './counters.ts';
import { type EditLabel, encodeLabel, labelOfEdit } from './edit-label.ts';
import { type EditorFacts, indexSkills, noFacts, type SkillIndex } from './skill-facts.ts';

/** What undo and redo go over. Selection, viewport, and the state of a run are not part of it. */
export interface EditorDoc {
  readonly chain: Chain;
  /** What a person placed; empty = laid out by waves. */
  readonly positions: Positions;
}

/** The file as it was opened or last written. */
export interface OpenedFile {
  readonly name: string;
  readonly file: string;
  /** Every save is the smallest change of this text. */
  readonly baseText: string;
  readonly revision: string;
  readonly savedChain: Chain;
  /** What the text alone showed: doubled keys, ids that can not be used. */
  readonly problems: readonly ChainProblem[];
}

export type EditorMode = 'canvas' | 'outline' | 'json';

/** The tabs of the panel below the canvas. */
export const panelTabs = ['problems', 'plan', 'run', 'log', 'questions'] as const;
export type PanelTab = (typeof panelTabs)[number];

/** What is open over the editor. */
export type EditorDialog =
  | { readonly kind: 'connect'; readonly from: string; readonly direction: 'out' | 'in' }
  | { readonly kind: 'add_step'; readonly place: AddPlace }
  | { readonly kind: 'menu'; readonly x: number; readonly y: number; readonly on: MenuTarget };

export type MenuTarget =
  | { readonly kind: 'canvas'; readonly at: Point }
  | { readonly kind: 'step'; readonly id: string }
  | { readonly kind: 'link'; readonly id: string };

/** Where a new step goes: on the canvas, and between which others. */
export interface AddPlace {
  readonly at?: Point;
  readonly after?: string;
  readonly before?: string;
  readonly insert?: { readonly from: string; readonly to: string };
}

export interface EditorState {
  readonly file: OpenedFile;
  readonly history: History<EditorDoc>;
  readonly doc: EditorDoc;
  readonly view: ChainView;
  /** Where each step stands now. */
  readonly placed: Positions;
  readonly facts: EditorFacts;
  readonly skills: SkillIndex;
  readonly selection: ReadonlySet<string>;
  readonly selectedLink: string | null;
  /** The one step that is in the tab order of the canvas. */
  readonly current: string | null;
  /** Asks the canvas to show a step, and to focus it when `focus`. */
  readonly reveal: { readonly id: string; readonly focus: boolean; readonly seq: number } | null;
  readonly mode: EditorMode;
  readonly panel: PanelTab | null;
  readonly dialog: EditorDialog | null;
  /** While a wire is drawn: the steps that it can not end at, and why. */
  readonly connecting: { readonly from: string; readonly blocked: ReadonlyMap<string, ConnectRefusal> } | null;
  /** The run whose states are drawn on the canvas. */
  readonly runId: string | null;
  /** The step whose output the log shows. */
  readonly logStep: string | null;
  /** The edit that was refused last, shown until the next one. */
  readonly refusal: WireError | null;
  /** The newest sentence for the live region, with a number so that the same one is read twice. */
  readonly announcement: {
    readonly key: string;
    readonly params: Record<string, string | number>;
    readonly seq: number;
  } | null;

  /** Makes an edit; false when it was refused (`refusal` says why). Edits of one `group` are one undo entry. */
  edit(edit: ChainEdit, options?: EditOptions): boolean;
  /** Like `edit`, and gives the ids of the steps that it added. */
  add(edit: ChainEdit, options?: EditOptions): readonly string[];
  moveSteps(moved: Positions, label?: EditLabel): void;
  tidy(ids: ReadonlySet<string> | null): void;
  undo(): void;
  redo(): void;
  select(ids: Iterable<string>, options?: { reveal?: boolean; focus?: boolean }): void;
  selectLink(id: string | null): void;
  setCurrent(id: string | null): void;
  setMode(mode: EditorMode): void;
  setPanel(panel: PanelTab | null): void;
  setDialog(dialog: EditorDialog | null): void;
  startConnecting(from: string, direction: 'out' | 'in'): void;
  endConnecting(): void;
  showRun(runId: string | null): void;
  showLog(stepId: string): void;
  setFacts(facts: EditorFacts): void;
  announce(key: string, params?: Record<string, string | number>): void;
  refuse(error: AppError): void;
  clearRefusal(): void;
  /** The text that a save would write. */
  text(): string;
  /** After a save: `chain` is what was written as `text`. */
  markSaved(text: string, revision: string, chain: Chain): void;
  /** Takes a text that was changed elsewhere (or a draft) as one edit that can be undone. */
  replaceText(text: string, label: EditLabel): void;
  /**
   * Makes the file as it is on disk now the one that a save starts from, and shows `merged`, or without it the file
   * itself. What was on the screen can be undone to. Errors: CHAIN_FILE_BROKEN, and nothing changes.
   */
  takeOver(document: { text: string; revision: string; file: string }, merged: Chain | null): void;
}

export interface EditOptions {
  readonly group?: string;
  /** Where an added step is put. */
  readonly at?: Point;
  readonly label?: EditLabel;
}

export type EditorStore = StoreApi<EditorState>;

export interface OpenedDocument {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly revision: string;
  readonly layout: ChainLayout;
}

/** Whether the chain on the screen differs from the file. Undoing back to the saved chain clears it. */
export function isDirty(state: Pick<EditorState, 'doc' | 'file'>): boolean {
  return state.doc.chain !== state.file.savedChain;
}

/**
 * The state of one open chain. Errors: CHAIN_FILE_BROKEN when the text is no chain; nothing is opened then, so a file
 * that could not be read whole is never written over.
 */
export function createEditorStore(document: OpenedDocument): EditorStore {
  const { chain, problems } = parseChainFile(document.text, document.file);
  const positions = keepKnown(document.layout.positions, chain);
  const doc: EditorDoc = { chain, positions };
  const skills = indexSkills(noFacts);
  const viewOf = (state: Pick<EditorState, 'facts' | 'skills' | 'file' | 'view'>, shown: Chain): ChainView => {
    const fileProblems = shown === state.file.savedChain ? state.file.problems : [];
    return viewChain(shown, { facts: state.facts, skills: state.skills, fileProblems }, state.view);
  };
  return createStore<EditorState>()((set, get) => {
    const show = (history: History<EditorDoc>, extra: Partial<EditorState> = {}): void => {
      const state = get();
      const next = history.present;
      const chainChanged = next.chain !== state.doc.chain;
      const view = chainChanged ? viewOf(state, next.chain) : state.view;
      const placed =
        chainChanged || next.positions !== state.doc.positions
          ? shareEqual(state.placed, placeSteps(next.chain, next.positions))
          : state.placed;
      const known = (id: string): boolean => view.cards.has(id);
      const selection = [...state.selection].every(known)
        ? state.selection
        : new Set([...state.selection].filter(known));
      set({
        history,
        doc: next,
        view,
        placed,
        selection,
        selectedLink: view.links.some((link) => link.id === state.selectedLink) ? state.selectedLink : null,
        current: state.current !== null && known(state.current) ? state.current : (view.ids[0] ?? null),
        ...extra,
      });
    };

    const change = (next: EditorDoc, label: EditLabel, group?: string): void => {
      show(push(get().history, next, encodeLabel(label), group), { refusal: null });
    };

    const perform = (edit: ChainEdit, options: EditOptions): readonly string[] | null => {
      const before = get().doc;
      let chain: Chain;
      try {
        chain = applyEdit(before.chain, edit);
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        set({ refusal: thrown.toWire() });
        return null;
      }
      if (chain === before.chain) return [];
      const old = new Set(before.chain.steps.map((step) => step.id));
      const added = chain.steps.filter((step) => !old.has(step.id)).map((step) => step.id);
      const next = {
        chain,
        positions: positionsAfter(before.positions, get().placed, chain, added, options.at),
      };
      change(next, options.label ?? labelOfEdit(edit, before.chain, chain), options.group);
      return added;
    };

    return {
      file: {
        name: document.name,
        file: document.file,
        baseText: document.text,
        revision: document.revision,
        savedChain: chain,
        problems,
      },
      history: createHistory(doc),
      doc,
      view: viewChain(chain, { facts: noFacts, skills, fileProblems: problems }, null),
      placed: placeSteps(chain, positions),
      facts: noFacts,
      skills,
      selection: new Set<string>(),
      selectedLink: null,
      current: chain.steps[0]?.id ?? null,
      reveal: null,
      mode: 'canvas',
      panel: null,
      dialog: null,
      connecting: null,
      runId: null,
      logStep: null,
      refusal: null,
      announcement: null,

      edit: (edit, options = {}) => perform(edit, options) !== null,
      add: (edit, options = {}) => perform(edit, options) ?? [],
      moveSteps: (moved, label = { key: 'move', params: { count: Object.keys(moved).length } }) => {
        const { doc: before, placed } = get();
        const positions = { ...placed, ...before.positions, ...moved };
        change({ chain: before.chain, positions }, label);
      },
      tidy: (ids) => {
        const { doc: before, placed } = get();
        if (ids === null || ids.size < 2) {
          if (Object.keys(before.positions).length === 0) return;
          change({ chain: before.chain, positions: {} }, { key: 'tidy', params: {} });
          return;
        }
        const positions = { ...placed, ...before.positions, ...tidySome(before.chain, ids, placed) };
        change({ chain: before.chain, positions }, { key: 'tidy', params: {} });
      },
      undo: () => show(undo(get().history), { refusal: null }),
      redo: () => show(redo(get().history), { refusal: null }),
      select: (ids, options = {}) => {
        const state = get();
        const selection = new Set(ids);
        const first = [...selection].at(-1) ?? null;
        const same = selection.size === state.selection.size && [...selection].every((id) => state.selection.has(id));
        set({
          ...(same ? {} : { selection }),
          selectedLink: null,
          ...(first === null ? {} : { current: first }),
          ...(first !== null && (options.reveal === true || options.focus === true)
            ? { reveal: { id: first, focus: options.focus === true, seq: (state.reveal?.seq ?? 0) + 1 } }
            : {}),
        });
      },
      selectLink: (id) => {
        if (get().selectedLink !== id)
          set({ selectedLink: id, ...(id === null ? {} : { selection: new Set<string>() }) });
      },
      setCurrent: (id) => {
        if (get().current !== id) set({ current: id });
      },
      setMode: (mode) => set({ mode }),
      setPanel: (panel) => set({ panel }),
      setDialog: (dialog) => set({ dialog }),
      startConnecting: (from, direction) =>
        set({ connecting: { from, blocked: connectCheck(get().doc.chain, from, direction) } }),
      endConnecting: () => set({ connecting: null }),
      showRun: (runId) => set({ runId }),
      showLog: (stepId) => set({ logStep: stepId, panel: 'log' }),
      setFacts: (facts) => {
        const state = get();
        const index = indexSkills(facts);
        set({ facts, skills: index, view: viewOf({ ...state, facts, skills: index }, state.doc.chain) });
      },
      announce: (key, params = {}) => set({ announcement: { key, params, seq: (get().announcement?.seq ?? 0) + 1 } }),
      refuse: (error) => set({ refusal: error.toWire() }),
      clearRefusal: () => {
        if (get().refusal !== null) set({ refusal: null });
      },
      text: () => {
        const { file, doc: current } = get();
        return current.chain === file.savedChain ? file.baseText : serializeChain(current.chain, file.baseText);
      },
      markSaved: (text, revision, saved) =>
        set({ file: { ...get().file, baseText: text, revision, savedChain: saved, problems: [] } }),
      replaceText: (text, label) => {
        const parsed = parseChainFile(text, get().file.file).chain;
        change({ chain: parsed, positions: keepKnown(get().doc.positions, parsed) }, label);
      },
      takeOver: (document, merged) => {
        const { file, history } = get();
        const theirs = parseChainFile(document.text, document.file);
        const counters = countersOf(theirs.chain);
        // A run counts itself in the file. That is nobody's edit, so it goes into the past too, and undo never takes it back.
        const recount = once((chain: Chain) => ({ ...withoutCounters(chain), ...counters }));
        const counted = mapHistory(
          history,
          once((entry: EditorDoc) => ({ ...entry, chain: recount(entry.chain) })),
        );
        const same = sameJson(withoutCounters(theirs.chain), withoutCounters(file.savedChain));
        const savedChain = same ? recount(file.savedChain) : theirs.chain;
        set({
          file: {
            ...file,
            file: document.file,
            baseText: document.text,
            revision: document.revision,
            savedChain,
            problems: theirs.problems,
          },
        });
        show(counted);
        if (same) return;
        // A merge that gives what is on disk leaves nothing to save.
        const next = merged === null || sameJson(merged, theirs.chain) ? theirs.chain : merged;
        const positions = keepKnown(counted.present.positions, next);
        change({ chain: next, positions }, { key: next === theirs.chain ? 'reload' : 'merge', params: {} });
      },
    };
  });
}

/** New steps get a place of their own only where people placed the others too, or where the person dropped one. */
function positionsAfter(
  set: Positions,
  placed: Positions,
  chain: Chain,
  added: readonly string[],
  at: Point | undefined,
): Positions {
  if (at === undefined || added.length === 0) return set;
  const positions: Record<string, Point> = {};
  for (const step of chain.steps) {
    const place = set[step.id] ?? placed[step.id];
    if (place !== undefined) positions[step.id] = place;
  }
  added.forEach((id, index) => {
    positions[id] = snapToGrid({ x: at.x + index * 24, y: at.y + index * 24 });
  });
  return positions;
}

function keepKnown(positions: Positions, chain: Chain): Positions {
  const known = new Set(chain.steps.map((step) => step.id));
  return Object.fromEntries(Object.entries(positions).filter(([id]) => known.has(id)));
}

/** The same result object for the same argument object, so that identity keeps meaning "unchanged". */
function once<T extends object>(change: (value: T) => T): (value: T) => T {
  const known = new WeakMap<T, T>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const after = change(value);
    known.set(value, after);
    return after;
  };
}

function mapHistory<T>(history: History<T>, change: (value: T) => T): History<T> {
  const entries = (list: History<T>['past']) => list.map((entry) => ({ ...entry, value: change(entry.value) }));
  return {
    ...history,
    present: change(history.present),
    past: entries(history.past),
    future: entries(history.future),
  };
}

/** `next` with the points of `previous` where they are equal; `previous` itself when nothing moved. */
function shareEqual(previous: Positions, next: Record<string, Point>): Positions {
  const entries = Object.entries(next);
  let same = entries.length === Object.keys(previous).length;
  for (const [id, point] of entries) {
    const old = previous[id];
    if (old !== undefined && old.x === point.x && old.y === point.y) next[id] = old;
    else same = false;
  }
  return same ? previous : next;
}

/** The step of an id, for whoever holds a state. */
export function stepOf(state: Pick<EditorState, 'doc'>, id: string): Step | undefined {
  return state.doc.chain.steps.find((step) => step.id === id);
}
