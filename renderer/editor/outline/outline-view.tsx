import { ActionIcon, Button, MultiSelect, NativeSelect, TextInput, Tooltip } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, Link2, Plus, Star, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onExhaustValues, unresolvedIndex } from '../../../shared/chain/chain.ts';
import { milestoneReason } from '../../../shared/chain/chain-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useStepState } from '../../stores/run-store.ts';
import { StateBadge } from '../../ui/state-badge.tsx';
import { runDetail } from '../run/run-detail.ts';
import type { StepCardModel } from '../state/chain-view.ts';
import { connectCheck } from '../state/connect-check.ts';
import { remove, shift } from '../state/editor-commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { nextMilestone, patchInside, patchStep } from '../state/step-edits.ts';
import classes from './outline-view.module.css';

const rowHeight = 46;

/** The chain as a table: the same steps, every edit possible, nothing that needs a pointer. */
export function OutlineView() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const ids = useEditor((state) => state.view.ids);
  const running = useEditor((state) => state.runId !== null);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: ids.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 900, height: 700 },
  });
  const shown = rows.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the rows, heard where they end up.
    <div ref={box} className={classes['outline']} onKeyDown={(event) => onRowKey(event, box.current)}>
      <table className={classes['table']} aria-label={t('outline.label')} aria-rowcount={ids.length + 1}>
        <thead>
          <tr>
            <th scope="col" className={classes['number']}>
              {t('outline.number')}
            </th>
            <th scope="col">{t('field.step_name')}</th>
            <th scope="col">{t('field.skill_name')}</th>
            <th scope="col" className={classes['afterColumn']}>
              {t('field.depends_on')}
            </th>
            <th scope="col" className={classes['conditionColumn']}>
              {t('field.condition')}
            </th>
            <th scope="col" className={classes['exhaust']}>
              {t('inspector.failure')}
            </th>
            <th scope="col" className={classes['milestone']}>
              {t('card.milestone')}
            </th>
            {running && (
              <th scope="col" className={classes['state']}>
                {t('run.state')}
              </th>
            )}
            <th scope="col" className={classes['actions']}>
              <span className="visually-hidden">{t('outline.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 && (
            <tr aria-hidden>
              <td colSpan={running ? 9 : 8} style={{ height: before, padding: 0 }} />
            </tr>
          )}
          {shown.map(({ index }) => {
            const id = ids[index];
            return id !== undefined && <OutlineRow key={id} id={id} index={index} last={index === ids.length - 1} />;
          })}
          {after > 0 && (
            <tr aria-hidden>
              <td colSpan={running ? 9 : 8} style={{ height: after, padding: 0 }} />
            </tr>
          )}
        </tbody>
      </table>
      <div className={classes['foot']}>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => {
            const last = ids.at(-1);
            store.getState().setDialog({ kind: 'add_step', place: last === undefined ? {} : { after: last } });
          }}
        >
          {t('command.addStep')}
        </Button>
      </div>
    </div>
  );
}

/** Arrow up and down go to the same field of the next row. */
function onRowKey(event: KeyboardEvent, box: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const cell = target.closest<HTMLElement>('[data-column]');
  // Lists use the arrows themselves.
  if (cell === null || target.matches('select, [role="combobox"]')) return;
  const row = cell.closest('tr');
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  const field = next?.querySelector<HTMLElement>(
    `[data-column="${cell.dataset['column']}"] :is(input, button, select)`,
  );
  if (field === undefined || field === null || !box?.contains(field)) return;
  event.preventDefault();
  field.focus();
}

const OutlineRow = memo(function OutlineRow({ id, index, last }: { id: string; index: number; last: boolean }) {
  const card = useEditor((state) => state.view.cards.get(id));
  return card === undefined ? null : <Row card={card} index={index} last={last} />;
});

function Row({ card, index, last }: { card: StepCardModel; index: number; last: boolean }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const { id } = card;
  const selected = useEditor((state) => state.selection.has(id));
  const runId = useEditor((state) => state.runId);
  const run = useStepState(runId, id);
  const name = card.name || t('card.unnamed');
  const milestone = `${card.milestone.is_milestone ? t('card.milestone') : t('card.noMilestone')}: ${milestoneReason(locale, card.milestone)}`;
  const edit = (patch: Record<string, unknown>, field: string) =>
    store.getState().edit(patchStep(id, patch), { group: `${id} ${field} outline` });
  return (
    <tr
      data-selected={selected || undefined}
      data-outline-id={id}
      aria-rowindex={index + 2}
      onFocus={() => {
        if (!selected) store.getState().select([id]);
      }}
    >
      <th scope="row" className={classes['number']}>
        {card.number}
      </th>
      <td data-column="name">
        <TextInput
          variant="unstyled"
          aria-label={t('outline.nameOf', { number: card.number })}
          value={card.name}
          placeholder={t('card.unnamed')}
          onChange={(event) => edit({ step_name: event.currentTarget.value }, 'step_name')}
        />
      </td>
      <td data-column="skill">
        <TextInput
          variant="unstyled"
          aria-label={t('outline.skillOf', { name })}
          value={card.skill}
          placeholder={t('card.builtIn')}
          error={card.skillState === 'missing'}
          onChange={(event) => edit({ skill_name: event.currentTarget.value }, 'skill_name')}
        />
      </td>
      <td data-column="after">
        <DependsCell card={card} name={name} />
      </td>
      <td data-column="condition">
        <TextInput
          variant="unstyled"
          aria-label={t('outline.conditionOf', { name })}
          value={card.condition}
          onChange={(event) =>
            edit({ condition: event.currentTarget.value === '' ? undefined : event.currentTarget.value }, 'condition')
          }
        />
      </td>
      <td data-column="exhaust">
        <NativeSelect
          variant="unstyled"
          size="xs"
          aria-label={t('outline.exhaustOf', { name })}
          value={card.onExhaust}
          data={onExhaustValues.map((value) => ({ value, label: t(`exhaust.${value}`) }))}
          onChange={(event) => {
            const step = stepOf(store.getState(), id);
            if (step !== undefined)
              store.getState().edit(patchInside(step, 'failure_mode', { on_exhaust: event.currentTarget.value }));
          }}
        />
      </td>
      <td data-column="milestone">
        <Tooltip label={milestone}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={milestone}
            className={classes['star'] ?? ''}
            data-on={card.milestone.is_milestone || undefined}
            onClick={() => store.getState().edit(nextMilestone(store.getState(), id))}
          >
            <Star size={15} aria-hidden fill={card.milestone.is_milestone ? 'currentColor' : 'none'} />
          </ActionIcon>
        </Tooltip>
      </td>
      {runId !== null && <td>{run !== null && <StateBadge state={run.state} plain detail={runDetail(run)} />}</td>}
      <td data-column="actions" className={classes['actions']}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('outline.earlier', { name })}
          disabled={index === 0}
          onClick={() => shift(store, id, -1)}
        >
          <ArrowUp size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('outline.later', { name })}
          disabled={last}
          onClick={() => shift(store, id, 1)}
        >
          <ArrowDown size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('outline.connect', { name })}
          onClick={() => store.getState().setDialog({ kind: 'connect', from: id, direction: 'out' })}
        >
          <Link2 size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('outline.delete', { name })}
          onClick={() => remove(store, [id], true)}
        >
          <Trash2 size={14} aria-hidden />
        </ActionIcon>
      </td>
    </tr>
  );
}

/** The dependencies by their numbers; the button opens the list of steps, where what would close a loop is off. */
function DependsCell({ card, name }: { card: StepCardModel; name: string }) {
  const { t } = useTranslation('editor');
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (refocus: boolean) => {
    setOpen(false);
    if (refocus) requestAnimationFrame(() => button.current?.focus());
  };
  if (open) return <DependsList id={card.id} name={name} onClose={close} />;
  return (
    <button
      ref={button}
      type="button"
      className={classes['after']}
      aria-haspopup="listbox"
      onClick={() => setOpen(true)}
    >
      <span className="visually-hidden">{t('outline.afterOf', { name })}: </span>
      {card.after === '' ? t('outline.root') : card.after}
    </button>
  );
}

function DependsList({ id, name, onClose }: { id: string; name: string; onClose: (refocus: boolean) => void }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const doc = useEditor((state) => state.doc);
  const cards = useEditor((state) => state.view.cards);
  const value = stepOf({ doc }, id)?.depends_on ?? [];
  const choices = useMemo(() => {
    const blocked = connectCheck(doc.chain, id, 'in');
    const dependsOn = stepOf({ doc }, id)?.depends_on ?? [];
    const unknown = dependsOn
      .filter((other) => !cards.has(other))
      .map((other) => ({
        value: other,
        label: t('inspector.unknownStep', { index: unresolvedIndex(other) ?? other }),
        disabled: false,
      }));
    const known = doc.chain.steps
      .filter((step) => step.id !== id)
      .map((step) => ({
        value: step.id,
        label: `${cards.get(step.id)?.number ?? ''} ${step.step_name}`,
        disabled: blocked.get(step.id)?.kind === 'cycle' && !dependsOn.includes(step.id),
      }));
    return [...unknown, ...known];
  }, [doc, cards, id, t]);
  return (
    <MultiSelect
      variant="unstyled"
      className={classes['dependsList'] ?? ''}
      aria-label={t('outline.afterOf', { name })}
      data={choices}
      value={[...value]}
      searchable
      autoFocus
      defaultDropdownOpened
      placeholder={value.length === 0 ? t('outline.root') : ''}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      onBlur={() => onClose(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose(true);
      }}
      onChange={(next) => {
        const { edit } = store.getState();
        for (const from of value) if (!next.includes(from)) edit({ kind: 'disconnect', from, to: id });
        for (const from of next) if (!value.includes(from)) edit({ kind: 'connect', from, to: id });
      }}
    />
  );
}
