import { useEffect, useRef } from 'react';
import { create } from 'zustand';

/** Something that a person can ask for by the palette or by a key. */
export interface Command {
  readonly id: string;
  readonly title: string;
  /** Heading in the palette and the shortcut sheet. */
  readonly group: string;
  readonly description?: string;
  /** `mod+Shift+P`, `?`, `F2`, ...; `mod` is Ctrl, or Command on a Mac. */
  readonly keys?: readonly string[];
  /**
   * The keys only hold while a part of the window (the canvas) has the focus; that part handles them itself. Keys of
   * all other commands are handled by the window, so that a feature never listens for them a second time.
   */
  readonly local?: boolean;
  readonly enabled: boolean;
  readonly run: () => void;
}

type Source = () => readonly Command[];

interface CommandsState {
  readonly sources: readonly Source[];
}

const useCommandsStore = create<CommandsState>(() => ({ sources: [] }));

/** Offers commands as long as the component is mounted. `make` is called when somebody looks, never for nothing. */
export function useCommands(make: Source): void {
  const latest = useRef(make);
  useEffect(() => {
    latest.current = make;
  });
  useEffect(() => {
    const source: Source = () => latest.current();
    useCommandsStore.setState(({ sources }) => ({ sources: [...sources, source] }));
    return () => useCommandsStore.setState(({ sources }) => ({ sources: sources.filter((other) => other !== source) }));
  }, []);
}

/** Every command on offer now; of two with one id the one registered last. */
export function allCommands(): readonly Command[] {
  const byId = new Map<string, Command>();
  for (const source of useCommandsStore.getState().sources) {
    for (const command of source()) byId.set(command.id, command);
  }
  return [...byId.values()];
}

/** Runs the commands of the window when their keys are pressed. Mounted once. */
export function useCommandKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const command = allCommands().find(
        (candidate) =>
          candidate.enabled && candidate.local !== true && candidate.keys?.some((keys) => matchesKeys(event, keys)),
      );
      if (command === undefined) return;
      if (isTyping(event.target) && !worksWhileTyping(event)) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Whether the pressed keys are exactly those written, e.g. `mod+Shift+P`. */
export function matchesKeys(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  keys: string,
  mac: boolean = isMac(),
): boolean {
  const parts = keys === '+' ? ['+'] : keys.split(/\+(?=.)/);
  const wanted = parts[parts.length - 1]!.toLowerCase();
  const has = (name: string) => parts.slice(0, -1).some((part) => part.toLowerCase() === name);
  const mod = mac ? event.metaKey : event.ctrlKey;
  const otherMod = mac ? event.ctrlKey : event.metaKey;
  if (mod !== has('mod') || otherMod || event.altKey !== has('alt')) return false;
  // A sign such as `?` needs Shift on some keyboards and none on others.
  const sign = wanted.length === 1 && !/[a-z0-9]/.test(wanted);
  if (!sign && event.shiftKey !== has('shift')) return false;
  if (event.key.toLowerCase() === wanted) return true;
  // With Shift or Alt held, `key` is another character; `code` names the key itself.
  return /^[a-z]$/.test(wanted)
    ? event.code === `Key${wanted.toUpperCase()}`
    : /^[0-9]$/.test(wanted) && event.code === `Digit${wanted}`;
}

/** Keys as they stand on this system's keyboard: `['Ctrl', 'Shift', 'P']`. */
export function keyCaps(keys: string, mac: boolean = isMac()): string[] {
  const parts = keys === '+' ? ['+'] : keys.split(/\+(?=.)/);
  const names: Record<string, string> = mac
    ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↩', escape: 'Esc', delete: '⌦', backspace: '⌫' }
    : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter', escape: 'Esc', delete: 'Del' };
  const arrows: Record<string, string> = { arrowup: '↑', arrowdown: '↓', arrowleft: '←', arrowright: '→' };
  return parts.map((part) => names[part.toLowerCase()] ?? arrows[part.toLowerCase()] ?? part);
}

function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select');
}

/** While somebody types, only keys with Ctrl or Command are commands, and never those that edit the text itself. */
function worksWhileTyping(event: KeyboardEvent): boolean {
  if (/^F\d+$/.test(event.key)) return true;
  if (!event.ctrlKey && !event.metaKey) return false;
  return !['z', 'y', 'a', 'c', 'v', 'x', 'd', 'backspace', 'delete'].includes(event.key.toLowerCase());
}
