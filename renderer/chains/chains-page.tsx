import { Button, Skeleton } from '@mantine/core';
import { FileUp, Plus, SearchX } from 'lucide-react';
import { type DragEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChainSummary } from '../../shared/api/contract.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import { useChains } from '../stores/chains-store.ts';
import { useCommands } from '../stores/commands.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ListBar } from '../ui/list-bar.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Tag } from '../ui/tag.tsx';
import { chainDialogs } from './chain-dialogs.tsx';
import classes from './chains-page.module.css';
import { ChainsTable } from './chains-table.tsx';
import { FirstChain } from './first-chain.tsx';
import { matchingChains, tagsOf } from './matching-chains.ts';

/** Every chain in the data home: found by words and tags, opened, run, renamed, copied, deleted. */
export function ChainsPage({ toolbar }: { toolbar?: ReactNode }) {
  const { t } = useTranslation(['chains', 'common']);
  const { value: chains, error: loadError, refresh } = useChains();
  const [error, setError] = useState<AppError | null>(null);
  return (
    <Page
      title={t('title')}
      toolbar={toolbar}
      actions={
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={chainDialogs.create}>
          {t('new')}
        </Button>
      }
    >
      <DropTarget>
        {loadError !== null && (
          <div className={classes['note']}>
            <ErrorNote error={loadError}>
              <Button mt="xs" variant="default" size="compact-xs" onClick={() => void refresh()}>
                {t('common:again')}
              </Button>
            </ErrorNote>
          </div>
        )}
        {error !== null && (
          <div className={classes['note']}>
            <ErrorNote error={error} onClose={() => setError(null)} />
          </div>
        )}
        {chains === null && loadError === null && <Waiting />}
        {chains?.length === 0 && <FirstChain onError={setError} />}
        {chains !== null && chains.length > 0 && <ChainsList chains={chains} onError={setError} />}
      </DropTarget>
    </Page>
  );
}

function ChainsList({ chains, onError }: { chains: readonly ChainSummary[]; onError: (error: AppError) => void }) {
  const { t } = useTranslation(['chains', 'common']);
  const [query, setQuery] = useState('');
  const [tags, setTags] = useState<readonly string[]>([]);
  const search = useRef<HTMLDivElement>(null);
  const offered = useMemo(() => tagsOf(chains), [chains]);
  // A tag that the last chain lost would narrow the list without being shown.
  const chosen = tags.filter((tag) => offered.includes(tag));
  const shown = useMemo(() => matchingChains(chains, query, chosen), [chains, query, chosen]);
  useCommands(() => [
    {
      id: 'list.search',
      title: t('search'),
      group: t('common:command.group.general'),
      keys: ['/'],
      enabled: true,
      run: () => search.current?.querySelector('input')?.focus(),
    },
  ]);

  const toggle = (tag: string) =>
    setTags(chosen.includes(tag) ? chosen.filter((other) => other !== tag) : [...chosen, tag]);

  return (
    <>
      <div ref={search}>
        <ListBar
          search={<SearchBox label={t('search')} value={query} onChange={setQuery} />}
          chips={offered.map((tag) => (
            <Tag key={tag} pressed={chosen.includes(tag)} onToggle={() => toggle(tag)}>
              {tag}
            </Tag>
          ))}
          count={
            shown.length === chains.length
              ? t('count', { count: chains.length })
              : t('countOf', { shown: shown.length, all: chains.length })
          }
        />
      </div>
      {shown.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={t('noMatch.title')}
          actions={
            <Button
              variant="default"
              onClick={() => {
                setQuery('');
                setTags([]);
              }}
            >
              {t('noMatch.clear')}
            </Button>
          }
        >
          {t('noMatch.text')}
        </EmptyState>
      ) : (
        <ChainsTable chains={shown} onError={onError} />
      )}
    </>
  );
}

/** The whole list takes dropped files; the keyboard's way is the import button. */
function DropTarget({ children }: { children: ReactNode }) {
  const { t } = useTranslation('chains');
  const [over, setOver] = useState(0);
  const isFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way to what the import button does.
    <div
      className={classes['drop']}
      onDragEnter={(event) => isFiles(event) && setOver((depth) => depth + 1)}
      onDragLeave={(event) => isFiles(event) && setOver((depth) => Math.max(0, depth - 1))}
      onDragOver={(event) => isFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        setOver(0);
        chainDialogs.importFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over > 0 && (
        <div className={classes['dropHint']}>
          <FileUp size={22} strokeWidth={1.6} aria-hidden />
          {t('drop')}
        </div>
      )}
    </div>
  );
}

function Waiting() {
  return (
    <div className={classes['waiting']} aria-hidden>
      {[0, 1, 2].map((row) => (
        <Skeleton key={row} height={50} radius="md" />
      ))}
    </div>
  );
}
