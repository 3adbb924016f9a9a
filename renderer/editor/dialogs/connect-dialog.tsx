import { Modal } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KindIcon } from '../canvas/kind-icon.tsx';
import { refusalText } from '../canvas/refusal-text.ts';
import { connectCheck } from '../state/connect-check.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { type Choice, ChoiceList } from './choice-list.tsx';

/** Draws a wire by words: to the step that shall wait for this one, or from the one that this one shall wait for. */
export function ConnectDialog({
  from,
  direction,
  onClose,
}: {
  from: string;
  direction: 'out' | 'in';
  onClose: () => void;
}) {
  const { t } = useTranslation(['editor', 'common']);
  const store = useEditorStore();
  const doc = useEditor((state) => state.doc);
  const cards = useEditor((state) => state.view.cards);
  const [query, setQuery] = useState('');
  const all = useMemo(() => {
    const blocked = connectCheck(doc.chain, from, direction);
    return doc.chain.steps
      .filter((step) => step.id !== from)
      .map((step): Choice => {
        const refusal = blocked.get(step.id);
        const card = cards.get(step.id);
        return {
          id: step.id,
          name: `${card?.number ?? ''} ${step.step_name || t('card.unnamed')}`,
          about: refusal === undefined ? step.skill_name : refusalText(refusal, { view: { cards } }, t),
          icon: <KindIcon kind={card?.kind ?? 'agent'} />,
          off: refusal !== undefined,
        };
      })
      .toSorted((a, b) => Number(a.off) - Number(b.off));
  }, [doc, cards, from, direction, t]);
  const choices = useMemo(() => {
    const wanted = query.trim().toLowerCase();
    return all.filter(
      (choice) => choice.name.toLowerCase().includes(wanted) || choice.about.toLowerCase().includes(wanted),
    );
  }, [all, query]);
  const name = stepOf({ doc }, from)?.step_name ?? from;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(direction === 'out' ? 'connect.titleOut' : 'connect.titleIn', { name })}
      size="md"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <ChoiceList
        label={t('connect.list')}
        placeholder={t('connect.search')}
        choices={choices}
        nothing={t('inspector.noSteps')}
        query={query}
        onQuery={setQuery}
        onTake={(other) => {
          onClose();
          const { edit, announce, select } = store.getState();
          const [first, second] = direction === 'out' ? [from, other] : [other, from];
          if (!edit({ kind: 'connect', from: first, to: second })) return;
          const nameOf = (id: string) => stepOf(store.getState(), id)?.step_name ?? id;
          announce('announce.connected', { from: nameOf(first), to: nameOf(second) });
          select([from], { focus: true });
        }}
      />
    </Modal>
  );
}
