import type { TFunction } from 'i18next';
import { type SettingKey, settingsTable } from '../../shared/settings/settings.ts';

/** What is wrong with a value of a setting, as a sentence; null when it can be saved. */
export function settingProblem(key: SettingKey, value: unknown, t: TFunction<'settings'>): string | null {
  const parsed = settingsTable[key].schema.safeParse(value);
  const issue = parsed.success ? undefined : parsed.error.issues[0];
  if (issue === undefined) return null;
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return t('problem.empty');
    return t('problem.tooSmall', { limit: Number(issue.minimum) });
  }
  if (issue.code === 'too_big') return t('problem.tooBig', { limit: Number(issue.maximum) });
  if (issue.code === 'invalid_type' && issue.expected === 'int') return t('problem.notWhole');
  if (issue.code === 'invalid_type' && issue.expected === 'number') return t('problem.notNumber');
  return issue.message;
}

/** The bounds that a number setting has; null where it has none. */
export function settingBounds(key: SettingKey): { readonly min: number | null; readonly max: number | null } {
  const { schema } = settingsTable[key];
  const { minValue, maxValue } = schema as { minValue?: number | null; maxValue?: number | null };
  return { min: minValue ?? null, max: maxValue ?? null };
}
