import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { Activity, Copy, Ellipsis, FileWarning, PencilLine, Play, Star, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChainSummary } from '../../shared/api/contract.ts';
import { AppError, errorHint, errorMessage } from '../../shared/errors/app-error.ts';
import { isErrorCode } from '../../shared/errors/error-codes.ts';
import type { Locale } from '../../shared/text/texts.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import { hrefOf, navigate } from '../stores/route.ts';
import { DataTable } from '../ui/data-table.tsx';
import { RowTitle } from '../ui/row-title.tsx';
import { StateBadge } from '../ui/state-badge.tsx';
import { Tag } from '../ui/tag.tsx';
import { When } from '../ui/time.tsx';
import { chainDialogs } from './chain-dialogs.tsx';
import classes from './chains-table.module.css';
import { deleteChain } from './delete-chain.ts';

const shownTags = 3;

/** The chains as rows; a file that can not be read is a row with its reason and place. */
export function ChainsTable({
  chains,
  onError,
}: {
  chains: readonly ChainSummary[];
  onError: (error: AppError) => void;
}) {
  const { t } = useTranslation('chains');
  return (
    <DataTable
      label={t('title')}
      columns={[
        { label: t('column.name') },
        { label: t('column.tags'), width: '11rem', from: 'wide' },
        { label: t('column.steps'), width: '7.5rem', from: 'medium' },
        { label: t('column.problems'), width: '9rem', from: 'medium' },
        { label: t('column.lastRun'), width: '12rem', from: 'small' },
        { label: t('column.changed'), width: '6.5rem', from: 'wide' },
        { label: t('column.actions'), hidden: true, width: '5.75rem', align: 'end' },
      ]}
    >
      {chains.map((chain) => (
        <ChainRow key={chain.file} chain={chain} onError={onError} />
      ))}
    </DataTable>
  );
}

function ChainRow({ chain, onError }: { chain: ChainSummary; onError: (error: AppError) => void }) {
  const locale = useLocale();
  const broken = chain.broken === null ? null : brokenError(chain);
  return (
    <tr>
      <td>
        <RowTitle href={hrefOf({ room: 'chain', name: chain.name })} title={chain.name}>
          {broken === null ? chain.description : null}
        </RowTitle>
        {broken !== null && <BrokenReason error={broken} locale={locale} />}
      </td>
      <td data-from="wide">
        <Tags tags={chain.tags} />
      </td>
      <td data-from="medium">{broken === null && <Steps chain={chain} />}</td>
      <td data-from="medium">
        <Problems chain={chain} />
      </td>
      <td data-from="small">
        <LastRun chain={chain} />
      </td>
      <td data-from="wide" className={classes['dim']}>
        <When at={chain.updated_at} />
      </td>
      <td>
        <RowActions chain={chain} onError={onError} />
      </td>
    </tr>
  );
}

function BrokenReason({ error, locale }: { error: AppError; locale: Locale }) {
  return (
    <p className={classes['reason']}>
      {errorMessage(error.toWire(), locale)} <span>{errorHint(error, locale)}</span>
    </p>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation('chains');
  const rest = tags.slice(shownTags);
  return (
    <span className={classes['tags']}>
      {tags.slice(0, shownTags).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {rest.length > 0 && (
        <Tooltip label={rest.join(' · ')}>
          <span>
            <Tag>
              <span aria-hidden>+{rest.length}</span>
              <span className="visually-hidden">{t('moreTags', { count: rest.length })}</span>
            </Tag>
          </span>
        </Tooltip>
      )}
    </span>
  );
}

function Steps({ chain }: { chain: ChainSummary }) {
  const { t } = useTranslation('chains');
  const milestones = t('milestones', { count: chain.milestones });
  return (
    <span className={classes['steps']}>
      {t('steps', { count: chain.steps })}
      {chain.milestones > 0 && (
        <Tooltip label={milestones}>
          <span className={classes['star']}>
            <Star size={13} fill="currentColor" aria-hidden />
            <span aria-hidden>{chain.milestones}</span>
            <span className="visually-hidden">{milestones}</span>
          </span>
        </Tooltip>
      )}
    </span>
  );
}

function Problems({ chain }: { chain: ChainSummary }) {
  const { t } = useTranslation('chains');
  const { errors, warnings } = chain.problems;
  if (chain.broken !== null) {
    return (
      <span className={classes['problem']} data-tone="bad">
        <FileWarning size={14} aria-hidden />
        {t('broken')}
      </span>
    );
  }
  if (errors === 0 && warnings === 0) {
    return (
      <span className={classes['quiet']}>
        <span aria-hidden>–</span>
        <span className="visually-hidden">{t('noProblems')}</span>
      </span>
    );
  }
  return (
    <span className={classes['problems']}>
      {errors > 0 && (
        <span className={classes['problem']} data-tone="bad">
          {t('errors', { count: errors })}
        </span>
      )}
      {warnings > 0 && (
        <span className={classes['problem']} data-tone="wait">
          {t('warnings', { count: warnings })}
        </span>
      )}
    </span>
  );
}

function LastRun({ chain }: { chain: ChainSummary }) {
  const { t } = useTranslation('chains');
  const { last_run: last, exec_count: count } = chain;
  if (last === null) {
    return <span className={classes['quiet']}>{count > 0 ? t('executed', { count }) : t('neverRun')}</span>;
  }
  return (
    <span className={classes['lastRun']}>
      <a href={hrefOf({ room: 'run', id: last.run_id })} className={classes['runLink']}>
        <StateBadge state={last.state} />
      </a>
      <span className={classes['dim']}>
        <When at={last.started_at} />
      </span>
    </span>
  );
}

function RowActions({ chain, onError }: { chain: ChainSummary; onError: (error: AppError) => void }) {
  const { t } = useTranslation('chains');
  const [starting, setStarting] = useState(false);
  const { name, last_run: last } = chain;
  const readable = chain.broken === null;

  async function start() {
    setStarting(true);
    try {
      const { run_id } = await api.runs.start({ chain_name: name, source: 'window' });
      navigate({ room: 'run', id: run_id });
    } catch (thrown) {
      onError(readError(thrown));
    } finally {
      setStarting(false);
    }
  }

  return (
    <span className={classes['actions']}>
      {readable && (
        <Tooltip label={t('row.run', { name })}>
          <ActionIcon aria-label={t('row.run', { name })} loading={starting} onClick={() => void start()}>
            <Play size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t('row.more', { name })}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Workflow size={14} aria-hidden />} onClick={() => navigate({ room: 'chain', name })}>
            {t('row.open')}
          </Menu.Item>
          {last !== null && (
            <Menu.Item
              leftSection={<Activity size={14} aria-hidden />}
              onClick={() => navigate({ room: 'run', id: last.run_id })}
            >
              {t('row.lastRun')}
            </Menu.Item>
          )}
          {readable && (
            <>
              <Menu.Item leftSection={<PencilLine size={14} aria-hidden />} onClick={() => chainDialogs.rename(chain)}>
                {t('row.rename')}
              </Menu.Item>
              <Menu.Item leftSection={<Copy size={14} aria-hidden />} onClick={() => chainDialogs.duplicate(chain)}>
                {t('row.duplicate')}
              </Menu.Item>
            </>
          )}
          <Menu.Divider />
          <Menu.Item
            color="var(--s-bad)"
            leftSection={<Trash2 size={14} aria-hidden />}
            onClick={() => void deleteChain(name).catch((thrown) => onError(readError(thrown)))}
          >
            {t('row.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}

function brokenError(chain: ChainSummary): AppError {
  const { code, params, line } = chain.broken ?? { code: 'INTERNAL', params: {} };
  const file = chain.file.split(/[\\/]/).pop() ?? chain.file;
  return new AppError(isErrorCode(code) ? code : 'CHAIN_FILE_BROKEN', params, {
    file,
    ...(line === undefined ? {} : { line }),
  });
}
