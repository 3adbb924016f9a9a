import { Button, NumberInput, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { McpServer } from '../../shared/settings/settings.ts';
import classes from './list-setting.module.css';
import { type McpServerField, mcpServerProblems, readPairs, writePairs } from './mcp-server-fields.ts';

/** One server of tools; what its transport does not need is not shown and kept. */
export function McpServerForm({
  server,
  others,
  busy,
  onSave,
  onCancel,
}: {
  server: McpServer;
  others: readonly string[];
  busy: boolean;
  onSave: (server: McpServer) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation(['settings', 'common']);
  const [draft, setDraft] = useState(server);
  const [args, setArgs] = useState(server.args.join('\n'));
  const [env, setEnv] = useState(writePairs(server.env, '='));
  const [headers, setHeaders] = useState(writePairs(server.headers, ':'));
  const [shown, setShown] = useState(false);
  const transportLabel = useId();
  const wanted: McpServer = {
    ...draft,
    name: draft.name.trim(),
    command: draft.command.trim(),
    url: draft.url.trim(),
    args: args.split('\n').filter((line) => line !== ''),
    env: readPairs(env, '='),
    headers: readPairs(headers, ':'),
  };
  const problems = mcpServerProblems(wanted, others);
  const sentence = (field: McpServerField) => {
    const code = problems[field];
    return shown && code !== undefined ? t(`servers.problem.${code}`) : undefined;
  };
  const change = (patch: Partial<McpServer>) => setDraft((before) => ({ ...before, ...patch }));
  const isProgram = draft.transport === 'stdio';

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
          label={t('servers.name')}
          description={t('servers.nameText')}
          value={draft.name}
          error={sentence('name')}
          withAsterisk
          autoFocus
          spellCheck={false}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <div>
          <p className={classes['label']} id={transportLabel}>
            {t('servers.transport')}
          </p>
          <SegmentedControl
            aria-labelledby={transportLabel}
            value={draft.transport}
            data={[
              { value: 'stdio', label: t('servers.stdio') },
              { value: 'http', label: t('servers.http') },
            ]}
            onChange={(value) => change({ transport: value === 'http' ? 'http' : 'stdio' })}
          />
        </div>
      </div>
      {isProgram ? (
        <>
          <TextInput
            name="command"
            label={t('servers.command')}
            description={t('servers.commandText')}
            value={draft.command}
            error={sentence('command')}
            withAsterisk
            spellCheck={false}
            onChange={(event) => change({ command: event.currentTarget.value })}
          />
          <Textarea
            name="args"
            label={t('servers.args')}
            description={t('servers.argsText')}
            value={args}
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            onChange={(event) => setArgs(event.currentTarget.value)}
          />
          <Textarea
            name="env"
            label={t('servers.env')}
            description={t('servers.envText')}
            value={env}
            error={sentence('env')}
            autosize
            minRows={1}
            maxRows={10}
            spellCheck={false}
            onChange={(event) => setEnv(event.currentTarget.value)}
          />
        </>
      ) : (
        <>
          <TextInput
            name="url"
            label={t('servers.url')}
            placeholder="https://example.com/mcp"
            value={draft.url}
            error={sentence('url')}
            withAsterisk
            spellCheck={false}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
          <Textarea
            name="headers"
            label={t('servers.headers')}
            description={t('servers.headersText')}
            placeholder="Authorization: MY_TOKEN"
            value={headers}
            error={sentence('headers')}
            autosize
            minRows={1}
            maxRows={10}
            spellCheck={false}
            onChange={(event) => setHeaders(event.currentTarget.value)}
          />
        </>
      )}
      <div className={classes['pair']}>
        <NumberInput
          name="timeout_seconds"
          label={t('servers.timeout')}
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
          {t('servers.save')}
        </Button>
      </div>
    </form>
  );
}
