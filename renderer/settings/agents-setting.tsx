import { ActionIcon, Button, NumberInput, SegmentedControl, Textarea, TextInput, Tooltip } from '@mantine/core';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AgentProfile } from '../../shared/settings/settings.ts';
import { agentProblems } from './agent-problems.ts';
import classes from './list-setting.module.css';
import { controlNames, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

const newProfile: AgentProfile = { name: '', command: '', args: [], prompt: 'stdin', timeout_seconds: 600 };

/** Command lines of agents: one's own, also in the place of one that is known by the same name. */
export function AgentsSetting() {
  const { t } = useTranslation('settings');
  const handle = useSetting('agents');
  const agents = handle.value;
  /** Index of the profile in the form; the length of the list is a new one. */
  const [edited, setEdited] = useState<number | null>(null);

  const put = (index: number, profile: AgentProfile) =>
    handle
      .save(index < agents.length ? agents.map((other, at) => (at === index ? profile : other)) : [...agents, profile])
      .then((saved) => saved && setEdited(null));

  return (
    <SettingRow name="agents" handle={handle} defaultText={t('agents.none')} wide>
      <div className={classes['list']}>
        {agents.length > 0 && (
          <ul className={classes['items']}>
            {agents.map((agent, index) =>
              edited === index ? (
                <li key={agent.name} className={classes['formItem']}>
                  <AgentForm
                    profile={agent}
                    others={agents.filter((_, at) => at !== index).map((other) => other.name)}
                    busy={handle.saving}
                    onSave={(profile) => void put(index, profile)}
                    onCancel={() => setEdited(null)}
                  />
                </li>
              ) : (
                <li key={agent.name} className={classes['item']}>
                  <div className={classes['itemText']}>
                    <strong>{agent.name}</strong>
                    <code>{[agent.command, ...agent.args].join(' ')}</code>
                  </div>
                  <Tooltip label={t('agents.edit')}>
                    <ActionIcon aria-label={`${t('agents.edit')}: ${agent.name}`} onClick={() => setEdited(index)}>
                      <Pencil size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('agents.remove')}>
                    <ActionIcon
                      aria-label={`${t('agents.remove')}: ${agent.name}`}
                      onClick={() => void handle.save(agents.filter((_, at) => at !== index))}
                    >
                      <Trash2 size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </li>
              ),
            )}
          </ul>
        )}
        {edited === agents.length ? (
          <div className={classes['newForm']}>
            <AgentForm
              profile={newProfile}
              others={agents.map((other) => other.name)}
              busy={handle.saving}
              onSave={(profile) => void put(agents.length, profile)}
              onCancel={() => setEdited(null)}
            />
          </div>
        ) : (
          <Button
            {...controlNames('agents')}
            aria-labelledby={undefined}
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setEdited(agents.length)}
          >
            {t('agents.add')}
          </Button>
        )}
      </div>
    </SettingRow>
  );
}

function AgentForm({
  profile,
  others,
  busy,
  onSave,
  onCancel,
}: {
  profile: AgentProfile;
  others: readonly string[];
  busy: boolean;
  onSave: (profile: AgentProfile) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation(['settings', 'common']);
  const [draft, setDraft] = useState(profile);
  const [args, setArgs] = useState(profile.args.join('\n'));
  const [shown, setShown] = useState(false);
  const promptLabel = useId();
  const wanted: AgentProfile = {
    ...draft,
    name: draft.name.trim(),
    command: draft.command.trim(),
    args: args.split('\n').filter((line) => line !== ''),
  };
  const problems = agentProblems(wanted, others);
  const sentence = (field: keyof AgentProfile) => {
    const code = problems[field];
    return shown && code !== undefined ? t(`agents.problem.${code}`) : undefined;
  };
  const change = (patch: Partial<AgentProfile>) => setDraft((before) => ({ ...before, ...patch }));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setShown(true);
    const [first] = Object.keys(problems);
    if (first === undefined) onSave(wanted);
    else event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }

  return (
    <form
      className={classes['form']}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <div className={classes['pair']}>
        <TextInput
          name="name"
          label={t('agents.name')}
          description={t('agents.nameText')}
          value={draft.name}
          error={sentence('name')}
          withAsterisk
          autoFocus
          spellCheck={false}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <TextInput
          name="command"
          label={t('agents.command')}
          description={t('agents.commandText')}
          value={draft.command}
          error={sentence('command')}
          withAsterisk
          spellCheck={false}
          onChange={(event) => change({ command: event.currentTarget.value })}
        />
      </div>
      <Textarea
        name="args"
        label={t('agents.args')}
        description={t('agents.argsText')}
        value={args}
        error={sentence('args')}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        onChange={(event) => setArgs(event.currentTarget.value)}
      />
      <div className={classes['pair']}>
        <div>
          <p className={classes['label']} id={promptLabel}>
            {t('agents.prompt')}
          </p>
          <SegmentedControl
            aria-labelledby={promptLabel}
            value={draft.prompt}
            data={[
              { value: 'stdin', label: t('agents.stdin') },
              { value: 'argument', label: t('agents.argument') },
            ]}
            onChange={(value) => change({ prompt: value === 'argument' ? 'argument' : 'stdin' })}
          />
        </div>
        <NumberInput
          name="timeout_seconds"
          label={t('agents.timeout')}
          value={draft.timeout_seconds}
          error={sentence('timeout_seconds')}
          min={1}
          clampBehavior="none"
          onChange={(value) => change({ timeout_seconds: value === '' ? 0 : Number(value) })}
        />
      </div>
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={busy}>
          {t('agents.save')}
        </Button>
      </div>
    </form>
  );
}
