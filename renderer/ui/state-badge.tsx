import { Tooltip } from '@mantine/core';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleStop,
  CircleX,
  Clock,
  Flag,
  LoaderCircle,
  type LucideIcon,
  Replace,
  RotateCw,
  SkipForward,
  TimerOff,
  Unplug,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { RunStateName, StepStateName } from '../../shared/run/event.ts';
import classes from './state-badge.module.css';

export type ShownState = RunStateName | StepStateName | 'queued' | 'timed_out';
export type StateTone = 'idle' | 'run' | 'wait' | 'ok' | 'bad';

const looks: Record<ShownState, { icon: LucideIcon; tone: StateTone; moving?: boolean }> = {
  pending: { icon: CircleDashed, tone: 'idle' },
  ready: { icon: Clock, tone: 'idle' },
  queued: { icon: Clock, tone: 'idle' },
  running: { icon: LoaderCircle, tone: 'run', moving: true },
  retrying: { icon: RotateCw, tone: 'run' },
  waiting: { icon: CircleQuestionMark, tone: 'wait' },
  succeeded: { icon: CircleCheck, tone: 'ok' },
  substituted: { icon: Replace, tone: 'ok' },
  skipped: { icon: SkipForward, tone: 'idle' },
  failed: { icon: CircleX, tone: 'bad' },
  timed_out: { icon: TimerOff, tone: 'bad' },
  aborted: { icon: Flag, tone: 'bad' },
  cancelled: { icon: CircleStop, tone: 'idle' },
  interrupted: { icon: Unplug, tone: 'wait' },
};

/** A state of a run, a step or a job: icon, word and colour, the same set on every screen. */
export function StateBadge({
  state,
  detail,
  plain = false,
  iconOnly = false,
}: {
  state: ShownState;
  /** Put behind the word, e.g. `2/3`. */
  detail?: string | undefined;
  /** Without the tinted background, for lists. */
  plain?: boolean;
  /** The word goes into a tooltip and the accessible name. */
  iconOnly?: boolean;
}) {
  const { t } = useTranslation('common');
  const { icon: Icon, tone, moving } = looks[state] ?? { icon: Ban, tone: 'idle' };
  const word = t(`state.${state}`);
  const text = detail === undefined ? word : `${word} ${detail}`;
  const badge = (
    <span className={classes['badge']} data-tone={tone} data-plain={plain || undefined} data-state={state}>
      <Icon className={moving ? classes['moving'] : undefined} size={14} aria-hidden />
      {iconOnly ? <span className="visually-hidden">{text}</span> : <span>{text}</span>}
    </span>
  );
  return iconOnly ? <Tooltip label={text}>{badge}</Tooltip> : badge;
}

/** The tone of a state, to colour a bar or a border by `data-tone`. */
export function stateTone(state: ShownState): StateTone {
  return looks[state].tone;
}
