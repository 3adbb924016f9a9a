import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { useSettings, useSettingsStore } from '../stores/settings-store.ts';

/** Makes the colours follow the setting, whoever changed it. */
export function useThemeSetting(): void {
  const { theme } = useSettings();
  const known = useSettingsStore((state) => state.value !== null);
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => {
    if (known) setColorScheme(theme === 'system' ? 'auto' : theme);
  }, [theme, known, setColorScheme]);
}
