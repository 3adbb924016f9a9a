import { Modal } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KindIcon } from '../canvas/kind-icon.tsx';
import { searchItems } from '../palette/search-items.ts';
import { usePaletteItems } from '../palette/skill-palette.tsx';
import { addItem } from '../state/add-item.ts';
import { useEditorStore } from '../state/editor-context.ts';
import { type AddPlace, stepOf } from '../state/editor-store.ts';
import { newStepFor, type PaletteItem } from '../state/new-step.ts';
import { type Choice, ChoiceList } from './choice-list.tsx';

/** Chooses what the new step is; where it goes was settled by what opened the dialog. */
export function AddStepDialog({ place, onClose }: { place: AddPlace; onClose: () => void }) {
  const { t } = useTranslation(['editor', 'common']);
  const store = useEditorStore();
  const items = usePaletteItems();
  const [query, setQuery] = useState('');
  const found = useMemo(() => searchItems(items, query), [items, query]);
  const choices = useMemo(() => found.map((item): Choice => choiceOf(item, t)), [found, t]);
  const nameOf = (id: string) => stepOf(store.getState(), id)?.step_name ?? id;
  const title =
    place.insert !== undefined
      ? t('add.between', { from: nameOf(place.insert.from), to: nameOf(place.insert.to) })
      : place.after !== undefined
        ? t('add.after', { name: nameOf(place.after) })
        : place.before !== undefined
          ? t('add.before', { name: nameOf(place.before) })
          : t('add.title');
  return (
    <Modal opened onClose={onClose} title={title} size="md" closeButtonProps={{ 'aria-label': t('common:close') }}>
      <ChoiceList
        label={t('palette.list')}
        placeholder={t('palette.search')}
        choices={choices}
        nothing={t('palette.nothing', { query })}
        query={query}
        onQuery={setQuery}
        onTake={(id) => {
          const item = found.find((candidate) => idOf(candidate) === id);
          onClose();
          if (item === undefined) return;
          const added = addItem(store, item, place);
          if (added !== null) store.getState().select([added], { reveal: true, focus: true });
        }}
      />
    </Modal>
  );
}

function choiceOf(item: PaletteItem, t: (key: string) => string): Choice {
  if (item.kind !== 'skill') {
    return {
      id: item.kind,
      name: item.name,
      about: t(`palette.${item.kind}About`),
      icon: <KindIcon kind={item.kind} />,
      off: false,
    };
  }
  const { row } = item;
  const icon =
    row.emoji === null ? (
      <KindIcon kind={newStepFor(item, { steps: [] }).kind ?? 'agent'} />
    ) : (
      <span aria-hidden>{row.emoji}</span>
    );
  const about = row.state === 'ready' ? row.description : t(`skillState.${row.state}`);
  return { id: row.id, name: row.name, about, icon, off: false };
}

function idOf(item: PaletteItem): string {
  return item.kind === 'skill' ? item.row.id : item.kind;
}
