import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { PanelLeftClose, Search } from 'lucide-react';
import { type KeyboardEvent, memo, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { hrefOf } from '../../stores/route.ts';
import { KindIcon } from '../canvas/kind-icon.tsx';
import { addItemInLine } from '../state/add-item.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { newStepFor, type PaletteItem } from '../state/new-step.ts';
import { startItemDrag } from './drag-item.ts';
import { searchItems } from './search-items.ts';
import classes from './skill-palette.module.css';

const rowHeight = 50;

/** The skills that can become steps: search, drag to the canvas, or Enter to add behind the chosen step. */
export const SkillPalette = memo(function SkillPalette({ onFold }: { onFold: () => void }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const [query, setQuery] = useState('');
  const search = useDeferredValue(query);
  const [active, setActive] = useState(0);
  const all = usePaletteItems();
  const items = useMemo(() => searchItems(all, search), [all, search]);
  const list = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    initialRect: { width: 240, height: 600 },
  });
  const listId = useId();
  useEffect(() => setActive((now) => Math.min(now, Math.max(0, items.length - 1))), [items]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const next = Math.min(items.length - 1, Math.max(0, active + move));
      setActive(next);
      rows.scrollToIndex(next);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const item = items[active];
      if (item !== undefined) addItemInLine(store, item);
    } else if (event.key === 'Escape' && query !== '') {
      event.stopPropagation();
      setQuery('');
    }
  };
  const loading = useEditor((state) => state.facts.scan === null);
  return (
    <section className={classes['palette']} aria-label={t('palette.label')}>
      <header className={classes['head']}>
        <TextInput
          className={classes['search'] ?? ''}
          size="xs"
          value={query}
          placeholder={t('palette.search')}
          aria-label={t('palette.search')}
          leftSection={<Search size={14} aria-hidden />}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={items.length > 0 ? `${listId}-${active}` : undefined}
          data-palette-search
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Tooltip label={t('palette.fold')}>
          <ActionIcon variant="subtle" color="gray" aria-label={t('palette.fold')} onClick={onFold}>
            <PanelLeftClose size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </header>
      <div ref={list} className={classes['scroll']}>
        <div
          id={listId}
          role="listbox"
          aria-label={t('palette.list')}
          className={classes['list']}
          style={{ height: rows.getTotalSize() }}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = items[index];
            return (
              item !== undefined && (
                <PaletteRow
                  key={keyOf(item)}
                  id={`${listId}-${index}`}
                  item={item}
                  top={start}
                  active={index === active}
                  onPick={() => {
                    setActive(index);
                  }}
                  onAdd={() => addItemInLine(store, item)}
                />
              )
            );
          })}
        </div>
        {items.length === 0 && <p className={classes['empty']}>{t('palette.nothing', { query: search })}</p>}
        {!loading && all.length === 2 && (
          <p className={classes['empty']}>
            {t('palette.noSkills')} <a href={hrefOf({ room: 'skills' })}>{t('palette.whereSearched')}</a>
          </p>
        )}
        {loading && <p className={classes['empty']}>{t('palette.loading')}</p>}
      </div>
      <p className={classes['tip']}>{t('palette.tip')}</p>
    </section>
  );
});

function PaletteRow({
  id,
  item,
  top,
  active,
  onPick,
  onAdd,
}: {
  id: string;
  item: PaletteItem;
  top: number;
  active: boolean;
  onPick: () => void;
  onAdd: () => void;
}) {
  const { t } = useTranslation('editor');
  const row = item.kind === 'skill' ? item.row : null;
  const off = row !== null && row.state !== 'ready';
  const kind = item.kind === 'skill' ? (newStepFor(item, { steps: [] }).kind ?? 'agent') : item.kind;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the search field does the same.
    <div
      id={id}
      role="option"
      aria-selected={active}
      className={classes['row']}
      data-active={active || undefined}
      data-off={off || undefined}
      data-skill={row?.name ?? item.kind}
      style={{ transform: `translateY(${top}px)` }}
      draggable
      onDragStart={(event) => startItemDrag(event.dataTransfer, item)}
      onClick={onPick}
      onDoubleClick={onAdd}
      title={row === null ? undefined : row.description}
    >
      <span className={classes['icon']} data-kind={kind}>
        {row?.emoji !== null && row !== null ? (
          <span aria-hidden>{row.emoji}</span>
        ) : (
          <KindIcon kind={kind} size={15} />
        )}
      </span>
      <span className={classes['text']}>
        <span className={classes['name']}>{row?.name ?? (item.kind === 'skill' ? '' : t(`palette.${item.kind}`))}</span>
        <span className={classes['about']}>
          {row === null ? t(`palette.${item.kind}About`) : off ? t(`skillState.${row.state}`) : row.description}
        </span>
      </span>
    </div>
  );
}

/** What the palette offers, the usable ones first. A shadowed copy is never used, so it is not offered. */
export function usePaletteItems(): readonly PaletteItem[] {
  const { t } = useTranslation('editor');
  const scan = useEditor((state) => state.facts.scan);
  const skills = useEditor((state) => state.skills);
  return useMemo(() => {
    const usable = (scan?.rows ?? []).filter((row) => row.state !== 'shadowed' && row.state !== 'broken');
    const sorted = usable.toSorted((a, b) => Number(isOff(a)) - Number(isOff(b)) || a.name.localeCompare(b.name));
    return [
      { kind: 'manual', name: t('palette.manual') },
      { kind: 'agent', name: t('palette.agent') },
      ...sorted.map((row): PaletteItem => ({ kind: 'skill', row, actions: skills.actionsOf(row.name) })),
    ];
  }, [scan, skills, t]);
}

function isOff(row: SkillRow): boolean {
  return row.state !== 'ready';
}

function keyOf(item: PaletteItem): string {
  return item.kind === 'skill' ? item.row.id : item.kind;
}
