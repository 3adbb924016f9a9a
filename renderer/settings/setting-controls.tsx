import { Autocomplete, NumberInput, SegmentedControl, Select, Switch, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingKey, Settings } from '../../shared/settings/settings.ts';
import { useSettings } from '../stores/settings-store.ts';
import { settingBounds, settingProblem } from './setting-problem.ts';
import { controlNames, fieldNames, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

type KeyOf<Value> = { [K in SettingKey]: Settings[K] extends Value ? K : never }[SettingKey];

/** On or off; saved with the click. */
export function SwitchSetting({ name }: { name: KeyOf<boolean> }) {
  const { t } = useTranslation('settings');
  const handle = useSetting(name);
  return (
    <SettingRow name={name} handle={handle} defaultText={t(handle.default ? 'on' : 'off')}>
      <Switch
        {...controlNames(name)}
        aria-label={t(`field.${name}.title`)}
        checked={handle.value}
        onChange={(event) => void handle.save(event.currentTarget.checked)}
      />
    </SettingRow>
  );
}

/** One of a few; saved with the choice. */
export function ChoiceSetting<Key extends 'naming_mode' | 'language' | 'theme' | 'scroll_mode'>({
  name,
  values,
}: {
  name: Key;
  values: readonly Settings[Key][];
}) {
  const { t } = useTranslation('settings');
  const handle = useSetting(name);
  const label = (value: Settings[Key]) => t(`choice.${name}.${value}`);
  const data = values.map((value) => ({ value, label: label(value) }));
  const choose = (value: string | null) => {
    const chosen = values.find((one) => one === value);
    if (chosen !== undefined && chosen !== handle.value) void handle.save(chosen);
  };
  return (
    <SettingRow name={name} handle={handle} defaultText={label(handle.default)}>
      {values.length <= 2 ? (
        <SegmentedControl {...controlNames(name)} value={handle.value} data={data} onChange={choose} />
      ) : (
        <Select
          {...fieldNames(name, t(`field.${name}.title`))}
          value={handle.value}
          data={data}
          allowDeselect={false}
          w="100%"
          onChange={choose}
        />
      )}
    </SettingRow>
  );
}

/**
 * A whole number. Saved when the field is left or Enter is pressed, not while it is typed: on the way to 200 stands a 20
 * that would throw away runs.
 */
export function NumberSetting({ name }: { name: KeyOf<number> }) {
  const { t } = useTranslation('settings');
  const handle = useSetting(name);
  const [text, setText] = useState<number | string>(handle.value);
  useEffect(() => setText(handle.value), [handle.value]);
  const value = typeof text === 'number' ? text : text.trim() === '' ? undefined : Number(text);
  const problem = value === handle.value ? null : settingProblem(name, value, t);
  const { min, max } = settingBounds(name);
  const unit = name.endsWith('_seconds') ? t('seconds') : '';
  const commit = () => {
    if (problem === null && typeof value === 'number' && value !== handle.value) void handle.save(value);
  };
  return (
    <SettingRow
      name={name}
      handle={handle}
      defaultText={unit === '' ? String(handle.default) : `${handle.default} ${unit}`}
      problem={problem}
    >
      <NumberInput
        {...fieldNames(name, t(`field.${name}.title`), problem)}
        value={text}
        error={problem !== null}
        {...(min === null ? {} : { min })}
        {...(max === null ? {} : { max })}
        allowDecimal={false}
        clampBehavior="none"
        w="100%"
        {...(unit === '' ? {} : { suffix: ` ${unit}` })}
        onChange={setText}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setText(handle.value);
        }}
      />
    </SettingRow>
  );
}

/** A text; saved when the field is left or Enter is pressed. */
export function TextSetting({ name }: { name: 'python' | 'memory_folder' }) {
  const { t } = useTranslation('settings');
  const handle = useSetting(name);
  const [text, setText] = useState(handle.value);
  useEffect(() => setText(handle.value), [handle.value]);
  const automatic = name === 'memory_folder' ? t('memoryDefault') : t('automatic');
  const commit = () => {
    if (text.trim() !== handle.value) void handle.save(text.trim());
  };
  return (
    <SettingRow name={name} handle={handle} defaultText={handle.default === '' ? automatic : handle.default}>
      <TextInput
        {...fieldNames(name, t(`field.${name}.title`))}
        value={text}
        placeholder={automatic}
        spellCheck={false}
        w="100%"
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setText(handle.value);
        }}
      />
    </SettingRow>
  );
}

/** Programs that are known without a profile of one's own. */
const knownAgents = ['claude', 'codex', 'openclaw', 'gemini', 'opencode'];

/** The name of an agent: one that is known or one of the person's own profiles. */
export function AgentNameSetting() {
  const { t } = useTranslation('settings');
  const name = 'default_agent';
  const handle = useSetting(name);
  const { agents } = useSettings();
  const [text, setText] = useState(handle.value);
  useEffect(() => setText(handle.value), [handle.value]);
  const names = [...new Set([...agents.map((agent) => agent.name), ...knownAgents])];
  const wanted = text.trim();
  const problem =
    wanted === '' || names.includes(wanted) ? null : t('problem.unknownAgent', { names: names.join(', ') });
  const commit = (next: string) => {
    if (next !== '' && names.includes(next) && next !== handle.value) void handle.save(next);
    else if (next === '') setText(handle.value);
  };
  return (
    <SettingRow name={name} handle={handle} defaultText={handle.default} problem={problem}>
      <Autocomplete
        {...fieldNames(name, t(`field.${name}.title`), problem)}
        value={text}
        data={names}
        error={problem !== null}
        spellCheck={false}
        w="100%"
        onChange={setText}
        onOptionSubmit={commit}
        onBlur={() => commit(wanted)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(wanted);
          if (event.key === 'Escape') setText(handle.value);
        }}
      />
    </SettingRow>
  );
}
