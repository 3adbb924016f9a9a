import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { Check, Copy, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type SettingGroup,
  type SettingKey,
  settingGroups,
  settingKeys,
  settingsTable,
} from '../../shared/settings/settings.ts';
import { useSettingsStore } from '../stores/settings-store.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { AgentsSetting } from './agents-setting.tsx';
import { FoldersSetting } from './folders-setting.tsx';
import { McpServersSetting } from './mcp-servers-setting.tsx';
import { DefaultModelSetting, ModelsSetting } from './models-setting.tsx';
import { AgentNameSetting, ChoiceSetting, NumberSetting, SwitchSetting, TextSetting } from './setting-controls.tsx';
import classes from './settings-page.module.css';

const controls: Readonly<Record<SettingKey, ReactNode>> = {
  use_memory_reference: <SwitchSetting name="use_memory_reference" />,
  naming_mode: <ChoiceSetting name="naming_mode" values={['manual', 'auto']} />,
  default_max_retries: <NumberSetting name="default_max_retries" />,
  max_parallel: <NumberSetting name="max_parallel" />,
  stop_grace_seconds: <NumberSetting name="stop_grace_seconds" />,
  sync_every_event: <SwitchSetting name="sync_every_event" />,
  keep_runs: <NumberSetting name="keep_runs" />,
  step_timeout_seconds: <NumberSetting name="step_timeout_seconds" />,
  max_parallel_jobs: <NumberSetting name="max_parallel_jobs" />,
  skill_folders: <FoldersSetting />,
  python: <TextSetting name="python" />,
  default_agent: <AgentNameSetting />,
  agents: <AgentsSetting />,
  models: <ModelsSetting />,
  default_model: <DefaultModelSetting />,
  mcp_servers: <McpServersSetting />,
  http_get_tool: <SwitchSetting name="http_get_tool" />,
  memory_folder: <TextSetting name="memory_folder" />,
  language: <ChoiceSetting name="language" values={['system', 'en', 'zh-CN']} />,
  theme: <ChoiceSetting name="theme" values={['system', 'light', 'dark']} />,
  scroll_mode: <ChoiceSetting name="scroll_mode" values={['pan', 'zoom']} />,
  autosave: <SwitchSetting name="autosave" />,
  single_key_shortcuts: <SwitchSetting name="single_key_shortcuts" />,
};

/** Every setting, in groups, searchable; each change is saved as it is made. */
export function SettingsPage({ toolbar, focusKey }: { toolbar: ReactNode; focusKey: string | undefined }) {
  const { t } = useTranslation(['settings', 'common']);
  const { value: view, error } = useSettingsStore();
  const [query, setQuery] = useState('');
  const body = useRef<HTMLDivElement>(null);
  const known = view !== null;
  const shown = settingKeys.filter((key) => matches(key, query, t));

  useEffect(() => {
    if (!known || focusKey === undefined) return;
    setQuery('');
    const row = body.current?.querySelector<HTMLElement>(`[data-setting="${CSS.escape(focusKey)}"]`);
    if (row == null) return;
    row.scrollIntoView({ block: 'center' });
    row.dataset['found'] = 'true';
    row.querySelector<HTMLElement>(`input:not([type=hidden]), button, [data-control]`)?.focus({ preventScroll: true });
    const timer = setTimeout(() => delete row.dataset['found'], 1800);
    return () => clearTimeout(timer);
  }, [known, focusKey]);

  const goTo = (group: SettingGroup) => {
    const section = body.current?.querySelector<HTMLElement>(`[data-group="${group}"]`);
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
  };

  return (
    <Page title={t('common:rooms.settings')} toolbar={toolbar} flush>
      <div className={classes['columns']}>
        <nav className={classes['nav']} aria-label={t('groups')}>
          <SearchBox label={t('search')} value={query} onChange={setQuery} />
          <ul>
            {settingGroups.map((group) => {
              const count = shown.filter((key) => settingsTable[key].group === group).length;
              const changed = view?.changed.filter((key) => isIn(key, group)).length ?? 0;
              return (
                <li key={group}>
                  <button type="button" disabled={count === 0} onClick={() => goTo(group)}>
                    <span>{t(`group.${group}`)}</span>
                    {changed > 0 && <span className={classes['mark']}>{t('changedCount', { count: changed })}</span>}
                  </button>
                </li>
              );
            })}
          </ul>
          <p className={classes['count']} role="status">
            {query === '' ? '' : t('count', { count: shown.length })}
          </p>
        </nav>
        <div ref={body} className={classes['body']}>
          <div className={classes['inner']}>
            <ErrorNote error={error} />
            {view !== null && <FileNotices setAside={view.set_aside} problems={view.problems} />}
            {known &&
              settingGroups.map((group) => {
                const keys = shown.filter((key) => settingsTable[key].group === group);
                if (keys.length === 0) return null;
                return (
                  <section
                    key={group}
                    className={classes['group']}
                    data-group={group}
                    aria-label={t(`group.${group}`)}
                    tabIndex={-1}
                  >
                    <h2>{t(`group.${group}`)}</h2>
                    <div className={classes['card']}>
                      {keys.map((key) => (
                        <div key={key} className={classes['slot']}>
                          {controls[key]}
                        </div>
                      ))}
                    </div>
                  </section>
                );
              })}
            {known && shown.length === 0 && <p className={classes['none']}>{t('noMatch')}</p>}
            {view !== null && query === '' && <FileView file={view.file} values={view.values} changed={view.changed} />}
          </div>
        </div>
      </div>
    </Page>
  );
}

function FileNotices({
  setAside,
  problems,
}: {
  setAside: string | null;
  problems: readonly { readonly key: string; readonly detail: string }[];
}) {
  const { t } = useTranslation('settings');
  const ofFile = problems.filter((problem) => !isSettingKey(problem.key));
  const ofKeys = problems.filter((problem) => isSettingKey(problem.key));
  if (setAside === null && problems.length === 0) return null;
  return (
    <div className={classes['notice']} role="status">
      <TriangleAlert size={16} aria-hidden />
      <div>
        {setAside !== null && (
          <p>
            {t('setAside')} <code>{setAside}</code>
          </p>
        )}
        {ofFile.map((problem) => (
          <p key={problem.detail}>
            <code>{problem.key}</code>: {problem.detail}
          </p>
        ))}
        {ofKeys.length > 0 && (
          <p>
            {t('badValues', { count: ofKeys.length })}{' '}
            {ofKeys.map((problem) => t(`field.${problem.key}.title`)).join(', ')}
          </p>
        )}
      </div>
    </div>
  );
}

/** The file behind the page, for whoever edits it by hand or asks for help. */
function FileView({
  file,
  values,
  changed,
}: {
  file: string;
  values: Readonly<Record<string, unknown>>;
  changed: readonly string[];
}) {
  const { t } = useTranslation('settings');
  const text = JSON.stringify(values, null, 2);
  return (
    <section className={classes['group']} aria-label={t('file.title')}>
      <h2>{t('file.title')}</h2>
      <div className={classes['file']}>
        <p>
          <code>{file}</code>
        </p>
        <p className={classes['dim']}>{t('file.text', { count: changed.length })}</p>
        <details>
          <summary>{t('file.json')}</summary>
          <div className={classes['json']}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard. */}
            <section tabIndex={0} aria-label={t('file.json')}>
              <pre>{text}</pre>
            </section>
            <CopyButton value={text}>
              {({ copied, copy }) => (
                <Tooltip label={copied ? t('file.copied') : t('file.copy')}>
                  <ActionIcon
                    className={classes['copy'] ?? ''}
                    aria-label={copied ? t('file.copied') : t('file.copy')}
                    onClick={copy}
                  >
                    {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
                  </ActionIcon>
                </Tooltip>
              )}
            </CopyButton>
          </div>
        </details>
      </div>
    </section>
  );
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

function isIn(key: string, group: SettingGroup): boolean {
  return isSettingKey(key) && settingsTable[key].group === group;
}

function matches(key: SettingKey, query: string, t: (key: string) => string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [key, t(`field.${key}.title`), t(`field.${key}.text`), t(`group.${settingsTable[key].group}`)]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
