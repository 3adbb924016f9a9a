import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { AlignCenterHorizontal, AlignCenterVertical, Copy, PanelRightClose, Trash2, Workflow } from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { onExhaustValues } from '../../../shared/chain/chain.ts';
import { cardHeight } from '../layout/place-steps.ts';
import { duplicate, remove } from '../state/editor-commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import type { Saver } from '../state/saver.ts';
import { patchInside } from '../state/step-edits.ts';
import { ChainInspector } from './chain-inspector.tsx';
import classes from './inspector.module.css';
import { StepInspector } from './step-inspector.tsx';

/** The right side: the chosen step, several chosen steps, or the chain. */
export const Inspector = memo(function Inspector({ saver, onFold }: { saver: Saver; onFold: () => void }) {
  const { t } = useTranslation('editor');
  const selection = useEditor((state) => state.selection);
  const ids = [...selection];
  const one = ids.length === 1 ? ids[0] : undefined;
  return (
    <section className={classes['inspector']} aria-label={t('inspector.label')}>
      <header className={classes['bar']}>
        <h2>
          {one !== undefined
            ? t('inspector.step')
            : ids.length > 1
              ? t('inspector.many', { count: ids.length })
              : t('inspector.chain')}
        </h2>
        <Tooltip label={t('inspector.fold')}>
          <ActionIcon variant="subtle" color="gray" aria-label={t('inspector.fold')} onClick={onFold}>
            <PanelRightClose size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </header>
      <div className={classes['body']}>
        {one !== undefined ? (
          <StepInspector key={one} id={one} />
        ) : ids.length > 1 ? (
          <ManySteps ids={ids} />
        ) : (
          <ChainInspector saver={saver} />
        )}
      </div>
    </section>
  );
});

function ManySteps({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const cards = useEditor((state) => state.view.cards);
  const align = (axis: 'x' | 'y') => {
    const { placed, moveSteps } = store.getState();
    const places = ids.map((id) => placed[id]).filter((place) => place !== undefined);
    const middle = Math.round(places.reduce((sum, place) => sum + place[axis], 0) / Math.max(1, places.length) / 8) * 8;
    moveSteps(Object.fromEntries(ids.map((id) => [id, { ...placed[id]!, [axis]: middle }])), {
      key: 'align',
      params: {},
    });
  };
  const spread = () => {
    const { placed, moveSteps } = store.getState();
    const sorted = ids.toSorted((a, b) => placed[a]!.y - placed[b]!.y);
    const top = placed[sorted[0]!]!.y;
    const bottom = Math.max(placed[sorted.at(-1)!]!.y, top + (sorted.length - 1) * (cardHeight + 24));
    const gap = (bottom - top) / (sorted.length - 1);
    moveSteps(
      Object.fromEntries(
        sorted.map((id, index) => [id, { ...placed[id]!, y: Math.round((top + gap * index) / 8) * 8 }]),
      ),
      { key: 'align', params: {} },
    );
  };
  const setExhaust = (value: string) => {
    const group = `exhaust ${value} ${Date.now()}`;
    for (const id of ids) {
      const step = stepOf(store.getState(), id);
      if (step === undefined) continue;
      const label = { key: 'exhaust_many', params: { count: ids.length } };
      store.getState().edit(patchInside(step, 'failure_mode', { on_exhaust: value }), { group, label });
    }
  };
  return (
    <div className={classes['many']}>
      <ul>
        {ids.slice(0, 12).map((id) => (
          <li key={id}>
            <span className={classes['linkNumber']}>{cards.get(id)?.number}</span> {cards.get(id)?.name}
          </li>
        ))}
        {ids.length > 12 && <li>…</li>}
      </ul>
      <div className={classes['manyButtons']}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Workflow size={14} aria-hidden />}
          onClick={() => store.getState().tidy(new Set(ids))}
        >
          {t('command.tidy')}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<AlignCenterVertical size={14} aria-hidden />}
          onClick={() => align('x')}
        >
          {t('inspector.alignColumn')}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<AlignCenterHorizontal size={14} aria-hidden />}
          onClick={() => align('y')}
        >
          {t('inspector.alignRow')}
        </Button>
        <Button variant="default" size="compact-sm" onClick={spread}>
          {t('inspector.spread')}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Copy size={14} aria-hidden />}
          onClick={() => duplicate(store, ids)}
        >
          {t('command.duplicate')}
        </Button>
        <Button
          variant="default"
          color="red"
          size="compact-sm"
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={() => remove(store, ids, true)}
        >
          {t('command.delete')}
        </Button>
      </div>
      <span className={classes['label']}>{t('field.on_exhaust')}</span>
      <div className={classes['manyButtons']}>
        {onExhaustValues.map((value) => (
          <Button key={value} variant="default" size="compact-sm" onClick={() => setExhaust(value)}>
            {t(`exhaust.${value}`)}
          </Button>
        ))}
      </div>
    </div>
  );
}
