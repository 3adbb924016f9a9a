import { useCallback, useState } from 'react';
import type { AppError } from '../../shared/errors/app-error.ts';
import { type SettingKey, type Settings, settingsTable } from '../../shared/settings/settings.ts';
import { readError } from '../api/client.ts';
import { saveSettings, useSettings, useSettingsStore } from '../stores/settings-store.ts';

export interface SettingHandle<Key extends SettingKey> {
  /** The value that holds, or the one that is being saved. */
  readonly value: Settings[Key];
  readonly default: Settings[Key];
  /** The file sets it. */
  readonly changed: boolean;
  /** The value in the file that can not be used, as it stands there. */
  readonly fileProblem: string | null;
  readonly error: AppError | null;
  readonly saving: boolean;
  /** How often it was saved from here; a new figure is a new save to tell of. */
  readonly saves: number;
  /** Saves at once; true when it was saved. */
  readonly save: (value: Settings[Key]) => Promise<boolean>;
  readonly reset: () => Promise<boolean>;
}

/** One setting: what holds, where it comes from, and how to change it. */
export function useSetting<Key extends SettingKey>(key: Key): SettingHandle<Key> {
  const held = useSettings()[key];
  const changed = useSettingsStore((state) => state.value?.changed.includes(key) ?? false);
  const fileProblem = useSettingsStore(
    (state) => state.value?.problems.find((problem) => problem.key === key)?.found ?? null,
  );
  const [wanted, setWanted] = useState<{ readonly value: Settings[Key] } | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  const [saves, setSaves] = useState(0);

  const write = useCallback(
    async (value: Settings[Key] | null) => {
      setWanted({ value: value ?? (settingsTable[key].default as Settings[Key]) });
      setError(null);
      try {
        await saveSettings({ [key]: value });
        setSaves((before) => before + 1);
        return true;
      } catch (thrown) {
        setError(readError(thrown));
        return false;
      } finally {
        setWanted(null);
      }
    },
    [key],
  );

  return {
    value: wanted === null ? held : wanted.value,
    default: settingsTable[key].default as Settings[Key],
    changed,
    fileProblem,
    error,
    saving: wanted !== null,
    saves,
    save: write,
    reset: useCallback(() => write(null), [write]),
  };
}
