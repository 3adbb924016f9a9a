import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Blocks, PackageOpen, RefreshCw, Zap } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import { noticeText } from '../../shared/skill/notice-texts.ts';
import { type SkillRoot, type SkillRow, skillStates } from '../../shared/skill/skill.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import { hrefOf } from '../stores/route.ts';
import { rescanSkills, useSkills } from '../stores/skills-store.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ListBar } from '../ui/list-bar.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Tag } from '../ui/tag.tsx';
import { tell } from '../ui/toast.ts';
import { FoldersSearched } from './folders-searched.tsx';
import { hostName } from './host-name.ts';
import { SkillStateBadge } from './skill-state-badge.tsx';
import { otherNotices, reasonOf } from './skill-words.ts';
import { countRows, filterSkills, useSkillsFilter } from './skills-filter.ts';
import classes from './skills-page.module.css';

const rowHeight = 68;

/** Every SKILL.md found on this machine, whatever is wrong with it. */
export function SkillsPage({ toolbar }: { toolbar: ReactNode }) {
  const { t } = useTranslation(['skills', 'common']);
  const { scan, rows, error } = useSkills();
  const filter = useSkillsFilter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  const roots = scan?.roots ?? [];
  const shown = useMemo(() => filterSkills(rows, scan?.roots ?? [], filter), [rows, scan, filter]);
  const counts = useMemo(() => countRows(rows), [rows]);

  async function rescan() {
    setBusy(true);
    setFailure(null);
    try {
      const found = await rescanSkills();
      tell({ message: t('rescanned', { count: found.counts.found }) });
    } catch (thrown) {
      setFailure(readError(thrown));
    }
    setBusy(false);
  }

  return (
    <Page
      title={t('common:rooms.skills')}
      toolbar={toolbar}
      actions={
        <Button
          variant="default"
          leftSection={<RefreshCw size={14} aria-hidden />}
          loading={busy}
          onClick={() => void rescan()}
        >
          {t('rescan')}
        </Button>
      }
      flush
    >
      <div className={classes['top']}>
        <ErrorNote error={failure ?? error} />
        {rows.length > 0 && (
          <>
            <ListBar
              search={
                <SearchBox
                  label={t('search')}
                  value={filter.query}
                  onChange={(query) => useSkillsFilter.setState({ query })}
                />
              }
              chips={
                <fieldset className={classes['chips']} aria-label={t('byState')}>
                  {skillStates
                    .filter((state) => (counts.states.get(state) ?? 0) > 0)
                    .map((state) => (
                      <Tag
                        key={state}
                        pressed={filter.state === state}
                        onToggle={() => useSkillsFilter.setState({ state: filter.state === state ? null : state })}
                      >
                        {t(`state.${state}`)} <span className={classes['number']}>{counts.states.get(state)}</span>
                      </Tag>
                    ))}
                </fieldset>
              }
              count={t('count', { count: shown.length, found: rows.length })}
            />
            <fieldset className={classes['hosts']} aria-label={t('byHost')}>
              {roots
                .filter((root) => (counts.roots.get(root.id) ?? 0) > 0)
                .map((root) => (
                  <Tag
                    key={root.id}
                    pressed={filter.rootId === root.id}
                    onToggle={() => useSkillsFilter.setState({ rootId: filter.rootId === root.id ? null : root.id })}
                  >
                    {hostName(root, t)} <span className={classes['number']}>{counts.roots.get(root.id)}</span>
                  </Tag>
                ))}
            </fieldset>
          </>
        )}
        {scan !== null && <FoldersSearched scan={scan} />}
      </div>
      {scan !== null && rows.length === 0 && <NoSkills onFailure={setFailure} />}
      {rows.length > 0 && shown.length === 0 && (
        <div className={classes['none']}>
          <p>{t('noMatch')}</p>
          <Button variant="default" onClick={() => useSkillsFilter.setState({ query: '', state: null, rootId: null })}>
            {t('showAll')}
          </Button>
        </div>
      )}
      {shown.length > 0 && <SkillList rows={shown} roots={roots} />}
    </Page>
  );
}

function SkillList({ rows, roots }: { rows: readonly SkillRow[]; roots: readonly SkillRoot[] }) {
  const { t } = useTranslation('skills');
  const scroll = useRef<HTMLDivElement>(null);
  const byId = useMemo(() => new Map(roots.map((root) => [root.id, root])), [roots]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]!.id,
    overscan: 6,
  });
  return (
    <div ref={scroll} className={classes['scroll']}>
      <ul className={classes['list']} style={{ height: virtual.getTotalSize() }} aria-label={t('list')}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]!;
          return (
            <li
              key={row.id}
              className={classes['slot']}
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)`, height: item.size }}
            >
              <SkillItem row={row} root={byId.get(row.root_id)} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function SkillItem({ row, root }: { row: SkillRow; root: SkillRoot | undefined }) {
  const { t } = useTranslation('skills');
  const locale = useLocale();
  const reason = reasonOf(row);
  const others = otherNotices(row);
  return (
    <a className={classes['item']} href={hrefOf({ room: 'skill', id: row.id })} onKeyDown={stepAlong}>
      <span className={classes['emoji']} aria-hidden>
        {row.emoji ?? <Blocks size={17} strokeWidth={1.6} />}
      </span>
      <span className={classes['words']}>
        <span className={classes['nameLine']}>
          <span className={classes['name']}>{row.name}</span>
          {row.version !== null && <span className={classes['version']}>{row.version}</span>}
          {row.has_actions && (
            <span className={classes['actions']}>
              <Zap size={12} aria-hidden />
              {t('hasActions')}
            </span>
          )}
        </span>
        {reason === null ? (
          <span className={classes['line']}>{row.description}</span>
        ) : (
          <span className={classes['line']} data-reason={row.state}>
            {noticeText(locale, reason)}
          </span>
        )}
      </span>
      <span className={classes['facts']}>
        <SkillStateBadge state={row.state} />
        <span className={classes['host']}>
          {root === undefined ? row.root_id : hostName(root, t)}
          {others > 0 && <> · {t('others', { count: others })}</>}
        </span>
      </span>
    </a>
  );
}

/** The arrows go along the rows. */
function stepAlong(event: React.KeyboardEvent<HTMLAnchorElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const index = Number(event.currentTarget.parentElement?.getAttribute('aria-posinset'));
  const wanted = index + (event.key === 'ArrowDown' ? 1 : -1);
  const next = event.currentTarget.closest('ul')?.querySelector<HTMLElement>(`[aria-posinset="${wanted}"] > a`);
  if (next == null) return;
  event.preventDefault();
  next.focus();
}

function NoSkills({ onFailure }: { onFailure: (error: AppError | null) => void }) {
  const { t } = useTranslation('skills');
  const [busy, setBusy] = useState(false);
  async function install() {
    setBusy(true);
    onFailure(null);
    try {
      await api.app.installSamples();
      await rescanSkills();
    } catch (thrown) {
      onFailure(readError(thrown));
    }
    setBusy(false);
  }
  return (
    <div className={classes['fill']}>
      <EmptyState
        icon={Blocks}
        title={t('empty.title')}
        actions={
          <>
            <Button leftSection={<PackageOpen size={15} aria-hidden />} loading={busy} onClick={() => void install()}>
              {t('empty.samples')}
            </Button>
            <Button component="a" href={hrefOf({ room: 'settings', key: 'skill_folders' })} variant="default">
              {t('empty.folder')}
            </Button>
          </>
        }
      >
        {t('empty.text')}
      </EmptyState>
    </div>
  );
}
