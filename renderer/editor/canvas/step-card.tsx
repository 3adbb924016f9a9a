import { Handle, type NodeProps, Position } from '@xyflow/react';
import type { TFunction } from 'i18next';
import {
  CircleAlert,
  GitBranch,
  MessageCircleQuestionMark,
  OctagonX,
  RotateCcw,
  SkipForward,
  Star,
  TriangleAlert,
} from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { milestoneReason } from '../../../shared/chain/chain-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useStepState } from '../../stores/run-store.ts';
import { StateBadge, stateTone } from '../../ui/state-badge.tsx';
import { runDetail } from '../run/run-detail.ts';
import type { StepCardModel } from '../state/chain-view.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { nextMilestone } from '../state/step-edits.ts';
import type { StepNode } from './flow-nodes.ts';
import { KindIcon } from './kind-icon.tsx';
import classes from './step-card.module.css';

/** One step on the canvas. Draws again when this step or its run state changed, never because another one moved. */
export const StepCard = memo(
  StepCardView,
  (before, after) => before.id === after.id && before.selected === after.selected && before.dragging === after.dragging,
);

function StepCardView({ id, selected, dragging }: NodeProps<StepNode>) {
  const card = useEditor((state) => state.view.cards.get(id));
  return card === undefined ? null : <Card card={card} selected={selected} dragging={dragging} />;
}

function Card({ card, selected, dragging }: { card: StepCardModel; selected: boolean; dragging: boolean }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const current = useEditor((state) => state.current === card.id);
  const runId = useEditor((state) => state.runId);
  const refusal = useEditor((state) => state.connecting?.blocked.get(card.id)?.kind);
  const run = useStepState(runId, card.id);
  const state = run?.state;
  const reason = milestoneReason(locale, card.milestone);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no card on a canvas.
    <div
      role="group"
      className={classes['card']}
      data-step-id={card.id}
      data-selected={selected || undefined}
      data-dragging={dragging || undefined}
      data-milestone={card.milestone.is_milestone || undefined}
      data-refusal={refusal}
      data-tone={state === undefined || state === 'pending' ? undefined : stateTone(state)}
      data-state={state}
      data-missing={card.skillState === 'missing' || undefined}
      tabIndex={current ? 0 : -1}
      aria-label={cardLabel(card, reason, state === undefined ? '' : t(`common:state.${state}`), selected, t)}
    >
      <Handle type="target" position={Position.Left} className={classes['handle'] ?? ''} />
      <div className={classes['head']}>
        <span
          className={classes['kind']}
          data-kind={card.kind}
          title={t(`kind.${card.kind}`, { defaultValue: card.kind })}
        >
          <KindIcon kind={card.kind} />
        </span>
        <span className={classes['names']}>
          <span className={classes['name']} title={card.name}>
            {card.name === '' ? t('card.unnamed') : card.name}
          </span>
          <span className={classes['skill']} data-missing={card.skillState === 'missing' || undefined}>
            {card.emoji !== null && <span aria-hidden>{card.emoji} </span>}
            {card.builtIn ? t('card.builtIn') : card.skill}
          </span>
        </span>
        <MilestoneStar card={card} reason={reason} />
      </div>
      <div className={classes['foot']}>
        <span className={classes['number']}>{card.number}</span>
        {run !== null && state !== undefined ? (
          <span className={classes['run']}>
            <StateBadge state={state} detail={runDetail(run)} plain />
          </span>
        ) : (
          <PolicyMarks card={card} />
        )}
        <ProblemMark card={card} />
      </div>
      <Handle type="source" position={Position.Right} className={classes['handle'] ?? ''} />
    </div>
  );
}

function MilestoneStar({ card, reason }: { card: StepCardModel; reason: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const label = card.milestone.is_milestone ? t('card.milestone') : t('card.noMilestone');
  return (
    <button
      type="button"
      className={`nodrag ${classes['star']}`}
      tabIndex={-1}
      data-on={card.milestone.is_milestone || undefined}
      data-explicit={card.explicitMilestone !== null || undefined}
      aria-label={`${label}: ${reason}`}
      title={`${label}: ${reason}\n${t('card.milestoneCycle')}`}
      onClick={(event) => {
        event.stopPropagation();
        store.getState().edit(nextMilestone(store.getState(), card.id));
      }}
    >
      <Star size={15} aria-hidden fill={card.milestone.is_milestone ? 'currentColor' : 'none'} />
    </button>
  );
}

const exhaustIcons = { ask: MessageCircleQuestionMark, skip: SkipForward, abort: OctagonX } as const;

function PolicyMarks({ card }: { card: StepCardModel }) {
  const { t } = useTranslation('editor');
  // A milestone that fails ends the run, whatever the file says.
  const onExhaust = card.milestone.is_milestone ? 'abort' : card.onExhaust;
  const Icon = exhaustIcons[onExhaust as keyof typeof exhaustIcons] ?? MessageCircleQuestionMark;
  return (
    <span className={classes['marks']}>
      <span className={classes['mark']} title={t('card.retriesTitle', { count: card.retries })}>
        <RotateCcw size={12} aria-hidden />
        {card.retries}
      </span>
      <span className={classes['mark']} title={t(`exhaust.${onExhaust}Title`, { defaultValue: onExhaust })}>
        <Icon size={12} aria-hidden />
        {t(`exhaust.${onExhaust}`, { defaultValue: onExhaust })}
      </span>
      {card.condition !== '' && (
        <span className={classes['mark']} title={t('card.condition', { condition: card.condition })}>
          <GitBranch size={12} aria-hidden />
        </span>
      )}
    </span>
  );
}

function ProblemMark({ card }: { card: StepCardModel }) {
  const { t } = useTranslation('editor');
  if (card.errors > 0) {
    return (
      <span className={classes['problem']} data-severity="error" title={t('card.errors', { count: card.errors })}>
        <CircleAlert size={13} aria-hidden />
        {card.errors}
      </span>
    );
  }
  if (card.warnings > 0) {
    return (
      <span className={classes['problem']} data-severity="warning" title={t('card.warnings', { count: card.warnings })}>
        <TriangleAlert size={13} aria-hidden />
        {card.warnings}
      </span>
    );
  }
  return null;
}

function cardLabel(
  card: StepCardModel,
  reason: string,
  state: string,
  selected: boolean,
  t: TFunction<'editor'>,
): string {
  return [
    t('card.label', { number: card.number, name: card.name || t('card.unnamed') }),
    card.builtIn ? t(`kind.${card.kind}`, { defaultValue: card.kind }) : t('card.labelSkill', { skill: card.skill }),
    card.skillState === 'missing' ? t('card.skillMissing') : '',
    card.milestone.is_milestone ? `${t('card.milestone')} (${reason})` : '',
    state,
    card.after === '' ? t('card.labelRoot') : t('card.labelAfter', { steps: card.after }),
    card.errors > 0 ? t('card.errors', { count: card.errors }) : '',
    card.warnings > 0 ? t('card.warnings', { count: card.warnings }) : '',
    selected ? t('card.selected') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
