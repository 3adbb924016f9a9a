import { ActionIcon, Button, Switch, Tooltip } from '@mantine/core';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { McpServer } from '../../shared/settings/settings.ts';
import classes from './list-setting.module.css';
import { McpServerForm } from './mcp-server-form.tsx';
import { controlNames, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

const newServer: McpServer = {
  name: '',
  transport: 'stdio',
  command: '',
  args: [],
  env: {},
  url: '',
  headers: {},
  enabled: true,
  timeout_seconds: 60,
};

/** Where the tools of other programs come from; each can be turned off without being forgotten. */
export function McpServersSetting() {
  const { t } = useTranslation('settings');
  const handle = useSetting('mcp_servers');
  const servers = handle.value;
  /** Index of the server in the form; the length of the list is a new one. */
  const [edited, setEdited] = useState<number | null>(null);

  const put = (index: number, server: McpServer) =>
    handle
      .save(index < servers.length ? servers.map((other, at) => (at === index ? server : other)) : [...servers, server])
      .then((saved) => saved && setEdited(null));
  const form = (index: number) => (
    <McpServerForm
      server={servers[index] ?? newServer}
      others={servers.filter((_, at) => at !== index).map((other) => other.name)}
      busy={handle.saving}
      onSave={(server) => void put(index, server)}
      onCancel={() => setEdited(null)}
    />
  );

  return (
    <SettingRow name="mcp_servers" handle={handle} defaultText={t('servers.none')} wide>
      <div className={classes['list']}>
        {servers.length > 0 && (
          <ul className={classes['items']}>
            {servers.map((server, index) =>
              edited === index ? (
                <li key={server.name} className={classes['formItem']}>
                  {form(index)}
                </li>
              ) : (
                <li key={server.name} className={classes['item']}>
                  <div className={classes['itemText']}>
                    <strong>{server.name}</strong>
                    <code>{server.transport === 'http' ? server.url : [server.command, ...server.args].join(' ')}</code>
                  </div>
                  <Tooltip label={t('servers.enabled')}>
                    <Switch
                      size="xs"
                      aria-label={`${t('servers.enabled')}: ${server.name}`}
                      checked={server.enabled}
                      onChange={(event) => void put(index, { ...server, enabled: event.currentTarget.checked })}
                    />
                  </Tooltip>
                  <Tooltip label={t('servers.edit')}>
                    <ActionIcon aria-label={`${t('servers.edit')}: ${server.name}`} onClick={() => setEdited(index)}>
                      <Pencil size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('servers.remove')}>
                    <ActionIcon
                      aria-label={`${t('servers.remove')}: ${server.name}`}
                      onClick={() => void handle.save(servers.filter((_, at) => at !== index))}
                    >
                      <Trash2 size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </li>
              ),
            )}
          </ul>
        )}
        {edited === servers.length ? (
          <div className={classes['newForm']}>{form(servers.length)}</div>
        ) : (
          <Button
            {...controlNames('mcp_servers')}
            aria-labelledby={undefined}
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setEdited(servers.length)}
          >
            {t('servers.add')}
          </Button>
        )}
      </div>
    </SettingRow>
  );
}
