import { ActionIcon, Button, CopyButton, SegmentedControl, Tooltip } from '@mantine/core';
import { ArrowLeft, Check, CircleAlert, CircleX, Copy, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import { noticeText } from '../../shared/skill/notice-texts.ts';
import type { SkillDetail, SkillNotice, SkillRow } from '../../shared/skill/skill.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import { hrefOf } from '../stores/route.ts';
import { useSkills } from '../stores/skills-store.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { fileSize } from '../ui/file-size.ts';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import { Tag } from '../ui/tag.tsx';
import { hostName } from './host-name.ts';
import { SkillActionsPanel } from './skill-actions-panel.tsx';
import classes from './skill-page.module.css';
import { SkillStateBadge } from './skill-state-badge.tsx';
import { byWeight, reasonOf } from './skill-words.ts';

// The parser is only needed here, and not before a text is there.
const Markdown = lazy(() => import('./markdown.tsx').then((module) => ({ default: module.Markdown })));
/** A longer text is shown as it is; formatting it would hold up the window. */
const longestFormatted = 200_000;

/** One SKILL.md: what it is, why it is in its state, its text, its files and its actions. */
export function SkillPage({ toolbar, skillId }: { toolbar: ReactNode; skillId: string }) {
  const { t } = useTranslation('skills');
  const { scan, rows } = useSkills();
  const [detail, setDetail] = useState<SkillDetail | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  // Read again whenever the files were searched again: the file may have changed with them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `scan` says when.
  useEffect(() => {
    let current = true;
    api.skills.get({ id: skillId }).then(
      (found) => {
        if (!current) return;
        setDetail(found);
        setError(null);
      },
      (thrown) => current && setError(readError(thrown)),
    );
    return () => {
      current = false;
    };
  }, [skillId, scan]);

  const row = detail?.row ?? rows.find((other) => other.id === skillId) ?? null;
  return (
    <Page
      back={
        <Tooltip label={t('page.back')}>
          <ActionIcon component="a" href={hrefOf({ room: 'skills' })} aria-label={t('page.back')}>
            <ArrowLeft size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      }
      title={row === null ? t('page.notFoundTitle') : `${row.emoji === null ? '' : `${row.emoji} `}${row.name}`}
      toolbar={toolbar}
    >
      <ErrorNote error={error}>
        {error?.code === 'SKILL_NOT_FOUND' && (
          <Button component="a" href={hrefOf({ room: 'skills' })} variant="default" size="compact-xs" mt="xs">
            {t('page.back')}
          </Button>
        )}
      </ErrorNote>
      {row !== null && error?.code !== 'SKILL_NOT_FOUND' && (
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Summary row={row} rows={rows} />
            {detail !== null && <Body detail={detail} />}
          </div>
          <aside className={classes['side']} aria-label={t('page.facts')}>
            <SkillActionsPanel row={row} />
            <Notices row={row} />
            <Facts row={row} />
            {detail !== null && detail.fields.length > 0 && <Fields detail={detail} />}
            {detail !== null && detail.files.length > 0 && <Files detail={detail} />}
          </aside>
        </div>
      )}
    </Page>
  );
}

function Summary({ row, rows }: { row: SkillRow; rows: readonly SkillRow[] }) {
  const { t } = useTranslation('skills');
  const locale = useLocale();
  const reason = reasonOf(row);
  const winner = rows.find((other) => other.id === row.shadowed_by);
  const hidden = rows.filter((other) => other.shadowed_by === row.id);
  return (
    <section className={classes['summary']} aria-label={row.name}>
      <div className={classes['stateLine']}>
        <SkillStateBadge state={row.state} />
        <span className={classes['dim']}>{t(`stateText.${row.state}`)}</span>
      </div>
      {row.description !== '' && <p className={classes['description']}>{row.description}</p>}
      {reason !== null && (
        <p className={classes['reason']} data-state={row.state}>
          {noticeText(locale, reason)}
        </p>
      )}
      {winner !== undefined && (
        <a className={classes['pathLink']} href={hrefOf({ room: 'skill', id: winner.id })}>
          <span>{t('page.hiddenBy')}</span>
          <code>{winner.file}</code>
        </a>
      )}
      {hidden.map((other) => (
        <a key={other.id} className={classes['pathLink']} href={hrefOf({ room: 'skill', id: other.id })}>
          <span>{t('page.hides')}</span>
          <code>{other.file}</code>
        </a>
      ))}
    </section>
  );
}

function Body({ detail }: { detail: SkillDetail }) {
  const { t } = useTranslation('skills');
  const [view, setView] = useState('formatted');
  const tooLong = detail.body.length > longestFormatted;
  const asText = view === 'text' || tooLong;
  return (
    <Panel
      title={t('page.body')}
      aside={
        tooLong || detail.body.trim() === '' ? undefined : (
          <SegmentedControl
            size="xs"
            aria-label={t('page.body')}
            value={view}
            onChange={setView}
            data={[
              { value: 'formatted', label: t('page.formatted') },
              { value: 'text', label: t('page.asText') },
            ]}
          />
        )
      }
    >
      <div className={classes['body']}>
        {detail.body.trim() === '' && <p className={classes['dim']}>{t('page.emptyBody')}</p>}
        {asText ? (
          <pre className={classes['raw']}>{detail.body}</pre>
        ) : (
          <Suspense fallback={<pre className={classes['raw']}>{detail.body}</pre>}>
            <Markdown text={detail.body} />
          </Suspense>
        )}
        {detail.truncated && <p className={classes['dim']}>{t('page.truncated')}</p>}
      </div>
    </Panel>
  );
}

const noticeIcons: Readonly<Record<SkillNotice['severity'], LucideIcon>> = {
  error: CircleX,
  warning: TriangleAlert,
  info: Info,
};

function Notices({ row }: { row: SkillRow }) {
  const { t } = useTranslation('skills');
  const locale = useLocale();
  return (
    <Panel title={t('page.notices')} aside={row.notices.length > 0 ? <Tag>{row.notices.length}</Tag> : undefined}>
      {row.notices.length === 0 ? (
        <p className={classes['dim']}>{t('page.noNotices')}</p>
      ) : (
        <ul className={classes['notices']}>
          {byWeight(row.notices).map((notice) => {
            const Icon = noticeIcons[notice.severity] ?? CircleAlert;
            return (
              <li
                key={`${notice.code}:${notice.line ?? ''}:${JSON.stringify(notice.params)}`}
                data-severity={notice.severity}
              >
                <Icon size={15} aria-hidden />
                <div>
                  <span className="visually-hidden">{t(`severity.${notice.severity}`)}: </span>
                  {noticeText(locale, notice)}{' '}
                  {notice.line !== undefined && (
                    <span className={classes['dim']}>{t('page.line', { line: notice.line })}</span>
                  )}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

function Facts({ row }: { row: SkillRow }) {
  const { t } = useTranslation('skills');
  const { scan } = useSkills();
  const root = scan?.roots.find((other) => other.id === row.root_id);
  return (
    <Panel title={t('page.facts')}>
      <dl className={classes['facts']}>
        {root !== undefined && (
          <div>
            <dt>{t('page.host')}</dt>
            <dd>{hostName(root, t)}</dd>
          </div>
        )}
        {row.slug !== null && (
          <div>
            <dt>{t('page.slug')}</dt>
            <dd>
              <code>{row.slug}</code>
            </dd>
          </div>
        )}
        {row.version !== null && (
          <div>
            <dt>{t('page.version')}</dt>
            <dd>{row.version}</dd>
          </div>
        )}
        <div>
          <dt>{t('page.size')}</dt>
          <dd>{fileSize(row.size_bytes)}</dd>
        </div>
        <div>
          <dt>{t('page.file')}</dt>
          <dd className={classes['path']}>
            <code>{row.file}</code>
            <CopyButton value={row.file}>
              {({ copied, copy }) => (
                <Tooltip label={copied ? t('page.copied') : t('page.copyPath')}>
                  <ActionIcon size="sm" aria-label={copied ? t('page.copied') : t('page.copyPath')} onClick={copy}>
                    {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
                  </ActionIcon>
                </Tooltip>
              )}
            </CopyButton>
          </dd>
        </div>
      </dl>
    </Panel>
  );
}

function Fields({ detail }: { detail: SkillDetail }) {
  const { t } = useTranslation('skills');
  return (
    <Panel title={t('page.fields')}>
      <dl className={classes['facts']}>
        {detail.fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a key of the front matter may be there twice.
          <div key={`${field.key}:${index}`}>
            <dt>{field.key}</dt>
            <dd className={classes['field']}>{field.value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Files({ detail }: { detail: SkillDetail }) {
  const { t } = useTranslation('skills');
  const runnable = new Set(detail.row.scripts);
  return (
    <Panel title={t('page.files')} aside={<Tag>{detail.files.length}</Tag>}>
      <ul className={classes['files']}>
        {detail.files.map((file) => (
          <li key={file.path}>
            <code>{file.path}</code>
            {runnable.has(file.path) && <Tag>{t('page.runnable')}</Tag>}
            <span className={classes['dim']}>{fileSize(file.size_bytes)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
