import { ActionIcon, Button, CopyButton, TextInput, Tooltip } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDownToLine, Check, ChevronDown, ChevronUp, Copy, Search } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fileSize } from './file-size.ts';
import classes from './log-view.module.css';

const lineHeight = 18;
/** So near to the end counts as being at it. */
const slackPx = lineHeight * 2;

/**
 * Lines of output: only those on the screen are drawn. Stays at the newest line until the person scrolls up, and again
 * when they come back to it. Found words are marked and gone through with Enter and Shift+Enter.
 */
export function LogView({
  label,
  lines,
  whenEmpty,
  earlierBytes = 0,
  onEarlier,
  children,
}: {
  label: string;
  lines: readonly string[];
  whenEmpty: string;
  /** Bytes before the first line that can be fetched. */
  earlierBytes?: number;
  onEarlier?: () => void;
  /** At the start of the bar: which output this is. */
  children?: ReactNode;
}) {
  const { t } = useTranslation('common');
  const box = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const search = useLineSearch(lines);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, columnsOf(line)), 0), [lines]);

  useKeepPlace(box, lines, follows);
  const { current } = search;
  useEffect(() => {
    if (current === null) return;
    setFollows(false);
    rows.scrollToIndex(current, { align: 'center' });
  }, [current, rows.scrollToIndex]);

  return (
    <div className={classes['log']}>
      <div className={classes['bar']}>
        {children}
        <SearchField search={search} />
        <span className={classes['end']}>
          <span className={classes['count']}>{t('log.lines', { count: lines.length })}</span>
          <CopyButton value={lines.join('\n')}>
            {({ copied, copy }) => (
              <Tooltip label={copied ? t('log.copied') : t('log.copy')}>
                <ActionIcon aria-label={copied ? t('log.copied') : t('log.copy')} onClick={copy} size="sm">
                  {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
                </ActionIcon>
              </Tooltip>
            )}
          </CopyButton>
        </span>
      </div>
      <div className={classes['frame']}>
        {/* biome-ignore lint/a11y/useSemanticElements: a region of lines, not a section of a document. */}
        <div
          ref={box}
          className={classes['box']}
          role="region"
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
          tabIndex={0}
          onScroll={(event) => setFollows(isAtEnd(event.currentTarget))}
        >
          {earlierBytes > 0 && (
            <div className={classes['earlier']}>
              <Button variant="subtle" size="compact-xs" onClick={onEarlier}>
                {t('log.earlier', { size: fileSize(earlierBytes) })}
              </Button>
            </div>
          )}
          {lines.length === 0 && <p className={classes['empty']}>{whenEmpty}</p>}
          <div className={classes['lines']} style={{ height: rows.getTotalSize(), minWidth: `${widest + 3}ch` }}>
            {rows.getVirtualItems().map(({ index, start }) => (
              <Line
                key={index}
                text={lines[index] ?? ''}
                top={start}
                query={search.query}
                isCurrent={index === current}
              />
            ))}
          </div>
        </div>
        {!follows && lines.length > 0 && (
          <Button
            className={classes['toEnd'] ?? ''}
            size="compact-xs"
            leftSection={<ArrowDownToLine size={13} aria-hidden />}
            onClick={() => setFollows(true)}
          >
            {t('log.follow')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface LineSearch {
  readonly query: string;
  readonly setQuery: (query: string) => void;
  /** Indexes of the lines that hold the query. */
  readonly matches: readonly number[];
  /** Which of them the person is at; -1 when none. */
  readonly at: number;
  /** The line of that match. */
  readonly current: number | null;
  readonly step: (by: 1 | -1) => void;
}

function useLineSearch(lines: readonly string[]): LineSearch {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(-1);
  const matches = useMemo(() => {
    const wanted = query.toLowerCase();
    if (wanted === '') return [];
    return lines.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [index] : []));
  }, [lines, query]);
  const step = (by: 1 | -1) => {
    if (matches.length === 0) return;
    setAt((before) =>
      before < 0 ? (by > 0 ? 0 : matches.length - 1) : (before + by + matches.length) % matches.length,
    );
  };
  return {
    query,
    setQuery: (next) => {
      setQuery(next);
      setAt(-1);
    },
    matches,
    at: Math.min(at, matches.length - 1),
    current: matches[at] ?? null,
    step,
  };
}

function SearchField({ search }: { search: LineSearch }) {
  const { t } = useTranslation('common');
  const { query, setQuery, matches, at, step } = search;
  return (
    <span className={classes['search']}>
      <TextInput
        aria-label={t('log.search')}
        placeholder={t('log.search')}
        value={query}
        leftSection={<Search size={13} aria-hidden />}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape' && query !== '') {
            event.stopPropagation();
            setQuery('');
          }
        }}
      />
      {query !== '' && (
        <>
          <span className={classes['count']} role="status">
            {matches.length === 0 ? t('log.noMatch') : t('log.match', { at: at + 1, all: matches.length })}
          </span>
          <ActionIcon size="sm" aria-label={t('log.previous')} disabled={matches.length === 0} onClick={() => step(-1)}>
            <ChevronUp size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon size="sm" aria-label={t('log.next')} disabled={matches.length === 0} onClick={() => step(1)}>
            <ChevronDown size={14} aria-hidden />
          </ActionIcon>
        </>
      )}
    </span>
  );
}

function Line({ text, top, query, isCurrent }: { text: string; top: number; query: string; isCurrent: boolean }) {
  return (
    <div
      className={classes['line']}
      style={{ transform: `translateY(${top}px)` }}
      data-kind={kindOf(text)}
      data-current={isCurrent || undefined}
    >
      {query === '' ? text : marked(text, query)}
    </div>
  );
}

/** Stays at the end while it is followed; else the line on the screen stays when earlier ones come in front of it. */
function useKeepPlace(box: { current: HTMLDivElement | null }, lines: readonly string[], follows: boolean): void {
  const before = useRef<readonly string[]>(lines);
  useLayoutEffect(() => {
    const element = box.current;
    const last = before.current;
    before.current = lines;
    if (element === null) return;
    if (follows) {
      element.scrollTop = element.scrollHeight;
      return;
    }
    const added = lines.length - last.length;
    const cameInFront = added > 0 && last.length > 0 && lines[0] !== last[0];
    if (cameInFront) element.scrollTop += added * lineHeight;
  }, [box, lines, follows]);
}

function isAtEnd({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < slackPx;
}

/** Lines that follow the output contract of the programs, or look like the command that was run. */
function kindOf(text: string): string | undefined {
  if (text.startsWith('$ ')) return 'command';
  return /^(ERROR|HINT|WARNING|PROGRESS)\b/.exec(text)?.[1]?.toLowerCase();
}

function marked(text: string, query: string): ReactNode {
  const parts: ReactNode[] = [];
  const low = text.toLowerCase();
  const wanted = query.toLowerCase();
  let at = 0;
  for (let found = low.indexOf(wanted); found >= 0; found = low.indexOf(wanted, at)) {
    parts.push(text.slice(at, found), <mark key={found}>{text.slice(found, found + wanted.length)}</mark>);
    at = found + wanted.length;
  }
  return at === 0 ? text : [...parts, text.slice(at)];
}

/** Width in columns: signs of Chinese, Japanese and Korean take two. */
function columnsOf(text: string): number {
  // Most lines are plain, and there may be many thousands of them.
  if (text.length < 60) return text.length * 2;
  let columns = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 9) columns += 7;
    else if (code >= 0x2e80) columns += 1;
  }
  return columns;
}
