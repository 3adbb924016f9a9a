import { useMemo } from 'react';
import type { SettingsView } from '../../shared/api/contract.ts';
import { defaultSettings, type Settings } from '../../shared/settings/settings.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

export const useSettingsStore = createLoadedStore<SettingsView>(() => api.settings.get());

/** The effective settings; the defaults until they are known. */
export function useSettings(): Settings {
  const values = useSettingsStore((state) => state.value?.values);
  return useMemo(() => withDefaults(values), [values]);
}

/** The effective settings outside a component. */
export function currentSettings(): Settings {
  return withDefaults(useSettingsStore.getState().value?.values);
}

/** Saves some settings at once; null resets one. Throws SETTINGS_INVALID (nothing was written) and file errors. */
export async function saveSettings(patch: Partial<Record<keyof Settings, unknown>>): Promise<SettingsView> {
  const view = await api.settings.set({ patch });
  useSettingsStore.setState({ value: view, error: null });
  return view;
}

function withDefaults(values: Record<string, unknown> | undefined): Settings {
  // The services answer values that their schemas accepted; keys of other programs ride along unseen.
  return { ...defaultSettings(), ...(values as Partial<Settings> | undefined) };
}
