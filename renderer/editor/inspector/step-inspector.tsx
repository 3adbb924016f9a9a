import {
  ActionIcon,
  Autocomplete,
  Button,
  Menu,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  Tooltip,
} from '@mantine/core';
import { ArrowDown, ArrowUp, Copy, Ellipsis, ExternalLink, Flag, Trash2, Unlink } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { errorClasses, onExhaustValues, stepKind, stepKinds } from '../../../shared/chain/chain.ts';
import { milestoneReason, problemText } from '../../../shared/chain/chain-texts.ts';
import { closestNames } from '../../../shared/chain/closest-names.ts';
import { errorClassText } from '../../../shared/run/run-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { hrefOf } from '../../stores/route.ts';
import { KindIcon } from '../canvas/kind-icon.tsx';
import { StepRunSection } from '../run/step-run-section.tsx';
import { duplicate, remove, shift } from '../state/editor-commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { patchInside, patchStep } from '../state/step-edits.ts';
import { DependenciesField } from './dependencies-field.tsx';
import { FieldText } from './field-text.tsx';
import classes from './inspector.module.css';
import { KindFields } from './kind-fields.tsx';
import { Section } from './section.tsx';
import { useFieldProblem } from './use-field-problem.ts';
import { VariablesField } from './variables-field.tsx';

/** Everything about one step. Edits are live; each field's visit is one undo entry. */
export const StepInspector = memo(function StepInspector({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  return (
    <>
      <StepHead id={id} />
      <StepRunSection id={id} />
      <StepProblems id={id} />
      <Section name="what" title={t('inspector.what')}>
        <FieldText id={id} field="step_name" />
        <SkillField id={id} />
        <KindField id={id} />
        <KindFields id={id} />
      </Section>
      <Section name="order" title={t('inspector.order')}>
        <DependenciesField id={id} />
        <FieldText id={id} field="condition" placeholder={t('inspector.conditionHint')} monospace />
      </Section>
      <Section name="failure" title={t('inspector.failure')}>
        <MilestoneField id={id} />
        <ExhaustField id={id} />
        <RetryFields id={id} />
        <TimeoutField id={id} />
      </Section>
      <Section name="data" title={t('inspector.data')} open={false}>
        <VariablesField id={id} side="inputs" />
        <VariablesField id={id} side="outputs" />
      </Section>
      <Section name="notes" title={t('inspector.notes')} open={false}>
        <FieldText id={id} field="notes" rows={2} label={t('field.notes')} />
      </Section>
    </>
  );
});

function StepHead({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const card = useEditor((state) => state.view.cards.get(id));
  const count = useEditor((state) => state.view.ids.length);
  if (card === undefined) return null;
  return (
    <header className={classes['head']}>
      <span className={classes['headIcon']}>
        <KindIcon kind={card.kind} />
      </span>
      <div className={classes['headText']}>
        <h2 className={classes['headTitle']}>{card.name || t('card.unnamed')}</h2>
        <span className={classes['headSub']}>{t('inspector.place', { number: card.number, count })}</span>
      </div>
      <Tooltip label={t('command.earlier')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={card.number === 1}
          aria-label={t('command.earlier')}
          onClick={() => shift(store, id, -1)}
        >
          <ArrowUp size={15} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('command.later')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={card.number === count}
          aria-label={t('command.later')}
          onClick={() => shift(store, id, 1)}
        >
          <ArrowDown size={15} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('inspector.more')}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Copy size={14} aria-hidden />} onClick={() => duplicate(store, [id])}>
            {t('command.duplicate')}
          </Menu.Item>
          <Menu.Item leftSection={<Trash2 size={14} aria-hidden />} onClick={() => remove(store, [id], true)}>
            {t('command.delete')}
          </Menu.Item>
          <Menu.Item leftSection={<Unlink size={14} aria-hidden />} onClick={() => remove(store, [id], false)}>
            {t('command.deleteApart')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </header>
  );
}

function StepProblems({ id }: { id: string }) {
  const locale = useLocale();
  const problems = useEditor((state) => state.view.problems);
  const mine = problems.filter((problem) => problem.step_id === id);
  if (mine.length === 0) return null;
  return (
    <ul className={classes['problems']}>
      {mine.map((problem) => (
        <li
          key={`${problem.code} ${problem.field ?? ''} ${JSON.stringify(problem.params)}`}
          data-severity={problem.severity}
        >
          {problemText(locale, problem)}
        </li>
      ))}
    </ul>
  );
}

function SkillField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const value = useEditor((state) => stepOf(state, id)?.skill_name ?? '');
  const scan = useEditor((state) => state.facts.scan);
  const skills = useEditor((state) => state.skills);
  const names = useMemo(
    () =>
      [
        ...new Set(
          (scan?.rows ?? [])
            .filter((row) => row.state === 'ready' || row.state === 'not_eligible')
            .map((row) => row.name),
        ),
      ].toSorted(),
    [scan],
  );
  const row = skills.find(value);
  const missing = skills.has(value) === false;
  const near = missing ? closestNames(value, names) : [];
  const set = (name: string) =>
    store.getState().edit(patchStep(id, { skill_name: name }), { group: `${id} skill_name` });
  return (
    <div>
      <Autocomplete
        size="xs"
        label={t('field.skill_name')}
        placeholder={t('card.builtIn')}
        data={names}
        value={value}
        limit={50}
        data-field="skill_name"
        error={missing ? (row === null ? t('inspector.skillMissing') : t(`skillState.${row.state}`)) : null}
        onChange={set}
      />
      {near.length > 0 && (
        <div className={classes['near']}>
          {t('inspector.didYouMean')}{' '}
          {near.map((name) => (
            <Button key={name} size="compact-xs" variant="light" onClick={() => set(name)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      {row !== null && (
        <a className={classes['aside']} href={hrefOf({ room: 'skill', id: row.id })}>
          <ExternalLink size={12} aria-hidden /> {t('inspector.openSkill')}
        </a>
      )}
    </div>
  );
}

function KindField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const kind = useEditor((state) => {
    const step = stepOf(state, id);
    return step === undefined ? 'agent' : stepKind(step);
  });
  const known: readonly string[] = stepKinds;
  const data = [...known, ...(known.includes(kind) ? [] : [kind])].map((value) => ({
    value,
    label: t(`kind.${value}`, { defaultValue: value }),
  }));
  return (
    <Select
      label={t('field.kind')}
      description={t(`kindAbout.${kind}`, { defaultValue: t('kindAbout.unknown') })}
      data={data}
      value={kind}
      allowDeselect={false}
      data-field="kind"
      leftSection={<KindIcon kind={kind} size={14} />}
      onChange={(value) => {
        // The default kind is what an absent field means.
        store.getState().edit(patchStep(id, { kind: value === 'agent' ? undefined : (value ?? undefined) }));
      }}
    />
  );
}

function MilestoneField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const card = useEditor((state) => state.view.cards.get(id));
  if (card === undefined) return null;
  const value = card.explicitMilestone === null ? 'auto' : card.explicitMilestone ? 'yes' : 'no';
  return (
    <div>
      <span className={classes['label']} id={`milestone-${id}`}>
        {t('field.is_milestone')}
      </span>
      <SegmentedControl
        fullWidth
        aria-labelledby={`milestone-${id}`}
        value={value}
        data={['auto', 'yes', 'no'].map((choice) => ({ value: choice, label: t(`milestone.${choice}`) }))}
        onChange={(choice) => {
          const step = stepOf(store.getState(), id);
          if (step === undefined) return;
          store
            .getState()
            .edit(
              patchInside(step, 'failure_mode', { is_milestone: choice === 'auto' ? undefined : choice === 'yes' }),
            );
        }}
      />
      <p className={classes['reason']} data-on={card.milestone.is_milestone || undefined}>
        <Flag size={12} aria-hidden />
        {t(card.milestone.is_milestone ? 'milestone.isBecause' : 'milestone.isNotBecause', {
          reason: milestoneReason(locale, card.milestone),
          rule: card.milestone.rule,
        })}
      </p>
    </div>
  );
}

function ExhaustField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const value = useEditor((state) => stepOf(state, id)?.failure_mode?.on_exhaust ?? 'ask');
  const milestone = useEditor((state) => state.view.cards.get(id)?.milestone.is_milestone === true);
  return (
    <div>
      <span className={classes['label']} id={`exhaust-${id}`}>
        {t('field.on_exhaust')}
      </span>
      <SegmentedControl
        fullWidth
        aria-labelledby={`exhaust-${id}`}
        value={value}
        data={onExhaustValues.map((choice) => ({ value: choice, label: t(`exhaust.${choice}`) }))}
        onChange={(choice) => {
          const step = stepOf(store.getState(), id);
          if (step !== undefined) store.getState().edit(patchInside(step, 'failure_mode', { on_exhaust: choice }));
        }}
      />
      <p className={classes['reason']}>
        {milestone && value !== 'abort' ? t('inspector.milestoneWins') : t(`exhaust.${value}Title`)}
      </p>
    </div>
  );
}

function RetryFields({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const policy = useEditor((state) => stepOf(state, id)?.retry_policy);
  const standard = useEditor((state) => state.facts.defaultMaxRetries);
  const error = useFieldProblem(id, 'retry_policy');
  const set = (values: Record<string, unknown>, group?: string) => {
    const step = stepOf(store.getState(), id);
    if (step !== undefined)
      store.getState().edit(patchInside(step, 'retry_policy', values), group === undefined ? {} : { group });
  };
  return (
    <>
      <NumberInput
        label={t('field.max_retries')}
        placeholder={t('inspector.retriesDefault', { count: standard })}
        description={t('inspector.retriesAbout')}
        value={policy?.max_retries ?? ''}
        min={0}
        max={10}
        clampBehavior="strict"
        allowDecimal={false}
        error={error}
        data-field="max_retries"
        onChange={(value) => set({ max_retries: typeof value === 'number' ? value : undefined }, `${id} max_retries`)}
      />
      <MultiSelect
        label={t('field.error_types')}
        placeholder={(policy?.error_types?.length ?? 0) === 0 ? t('inspector.allClasses') : ''}
        data={errorClasses.map((value) => ({ value, label: errorClassText(locale, value) }))}
        value={[...(policy?.error_types ?? [])]}
        clearable
        data-field="error_types"
        onChange={(value) => set({ error_types: value.length === 0 ? undefined : value })}
      />
    </>
  );
}

function TimeoutField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const timeout = useEditor((state) => stepOf(state, id)?.timeout_seconds);
  const idempotent = useEditor((state) => stepOf(state, id)?.idempotent === true);
  return (
    <>
      <NumberInput
        label={t('field.timeout_seconds')}
        placeholder={t('inspector.timeoutDefault')}
        value={timeout ?? ''}
        min={1}
        suffix={` ${t('inspector.seconds')}`}
        data-field="timeout_seconds"
        onChange={(value) =>
          store
            .getState()
            .edit(patchStep(id, { timeout_seconds: typeof value === 'number' && value > 0 ? value : undefined }), {
              group: `${id} timeout`,
            })
        }
      />
      <Switch
        size="xs"
        label={t('field.idempotent')}
        checked={idempotent}
        onChange={(event) =>
          store.getState().edit(patchStep(id, { idempotent: event.currentTarget.checked ? true : undefined }))
        }
      />
    </>
  );
}
