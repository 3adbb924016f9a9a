import type { RunState, StepRunState } from '../../shared/run/run-state.ts';
import { type StateTone, stateTone } from '../ui/state-badge.tsx';
import type { Span } from './time-scale.ts';

/** A stretch of a step's time: a try, the wait before the next one, for an answer, or for a free place. */
export interface Bar extends Span {
  readonly kind: 'try' | 'wait' | 'question' | 'queued';
  /** The try that it is, or that is waited for. */
  readonly try: number;
  readonly tone: StateTone;
}

/** The bars of a step, in order. `now` ends what is not over. */
export function barsOf(step: StepRunState, now: number): Bar[] {
  const bars: Bar[] = [];
  let at = step.ready_at;
  for (const [index, one] of step.tries.entries()) {
    if (at !== null && one.started_at > at) {
      bars.push({ kind: index === 0 ? 'queued' : 'wait', try: one.try, from: at, to: one.started_at, tone: 'idle' });
    }
    const to = one.ended_at ?? now;
    bars.push({ kind: 'try', try: one.try, from: one.started_at, to, tone: toneOfTry(step, index) });
    at = to;
  }
  const waits = step.state === 'retrying' || step.state === 'waiting' || step.state === 'ready';
  if (waits && at !== null && now > at) {
    const next = (step.tries.at(-1)?.try ?? 0) + 1;
    const kind = step.state === 'waiting' ? 'question' : next === 1 ? 'queued' : 'wait';
    bars.push({ kind, try: next, from: at, to: now, tone: stateTone(step.state) });
  }
  return bars;
}

/** When programs ran. What a person does takes as long as it takes, and is waiting to everybody else. */
export function busySpans(run: RunState, now: number): Span[] {
  const spans: Span[] = [];
  for (const step of run.steps.values()) {
    if (run.outline.steps.get(step.id)?.kind === 'manual') continue;
    for (const one of step.tries) spans.push({ from: one.started_at, to: one.ended_at ?? now });
  }
  return spans;
}

function toneOfTry(step: StepRunState, index: number): StateTone {
  const one = step.tries[index];
  if (one?.error !== undefined) return 'bad';
  if (one?.ended_at === null) return step.state === 'waiting' ? 'wait' : 'run';
  return index === step.tries.length - 1 ? stateTone(step.state) : 'idle';
}
