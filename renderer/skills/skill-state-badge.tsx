import { CircleCheck, CircleOff, CircleX, Layers2, type LucideIcon, Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { SkillState } from '../../shared/skill/skill.ts';
import classes from '../ui/state-badge.module.css';
import type { StateTone } from '../ui/state-badge.tsx';

const looks: Readonly<Record<SkillState, { icon: LucideIcon; tone: StateTone }>> = {
  ready: { icon: CircleCheck, tone: 'ok' },
  not_eligible: { icon: Unplug, tone: 'wait' },
  shadowed: { icon: Layers2, tone: 'idle' },
  disabled: { icon: CircleOff, tone: 'idle' },
  broken: { icon: CircleX, tone: 'bad' },
};

/** The state of a skill: icon, word and colour. */
export function SkillStateBadge({ state }: { state: SkillState }) {
  const { t } = useTranslation('skills');
  const { icon: Icon, tone } = looks[state];
  return (
    <span className={classes['badge']} data-tone={tone} data-state={state}>
      <Icon size={14} aria-hidden />
      <span>{t(`state.${state}`)}</span>
    </span>
  );
}
