import { Autocomplete, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkInput } from '../../../shared/action/input-schema.ts';
import type { InputProperty, Scalar } from '../../../shared/action/manifest.ts';
import { inputProblemText } from '../../../shared/action/manifest-texts.ts';
import { stepKind } from '../../../shared/chain/chain.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { defaultInput } from '../state/new-step.ts';
import { patchInside, patchStep } from '../state/step-edits.ts';
import { FieldText } from './field-text.tsx';
import classes from './inspector.module.css';
import { useFieldProblem } from './use-field-problem.ts';

/** The fields that only a kind of step has. */
export function KindFields({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const kind = useEditor((state) => {
    const step = stepOf(state, id);
    return step === undefined ? 'agent' : stepKind(step);
  });
  switch (kind) {
    case 'action':
      return (
        <>
          <ActionFields id={id} />
          <FieldText id={id} field="action" rows={2} label={t('inspector.whatItDoes')} />
        </>
      );
    case 'skill_exec':
      return (
        <>
          <ProgramFields id={id} />
          <FieldText id={id} field="action" rows={2} label={t('inspector.whatItDoes')} />
        </>
      );
    case 'manual':
      return (
        <>
          <FieldText id={id} field="action" rows={3} label={t('inspector.whatToDo')} />
          <FieldText id={id} field="detail" rows={2} />
        </>
      );
    default:
      return (
        <>
          <FieldText id={id} field="action" rows={3} />
          <FieldText id={id} field="skill_instruction" />
          <FieldText id={id} field="detail" rows={2} />
          <ProfileField id={id} />
        </>
      );
  }
}

function useWith(id: string) {
  const store = useEditorStore();
  const values = useEditor((state) => stepOf(state, id)?.with);
  const set = (change: Record<string, unknown>, group?: string) => {
    const step = stepOf(store.getState(), id);
    if (step !== undefined)
      store
        .getState()
        .edit(patchInside(step, 'with', change), group === undefined ? {} : { group: `${id} with ${group}` });
  };
  return [values, set] as const;
}

function ProfileField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const [values, set] = useWith(id);
  const names = useEditor((state) => state.facts.agentNames);
  const standard = useEditor((state) => state.facts.defaultAgent);
  return (
    <Autocomplete
      size="xs"
      label={t('field.profile')}
      placeholder={t('inspector.profileDefault', { name: standard })}
      data={[...names]}
      value={textOf(values?.['profile'])}
      data-field="profile"
      onChange={(value) => set({ profile: value === '' ? undefined : value }, 'profile')}
    />
  );
}

function ActionFields({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const [values, set] = useWith(id);
  const skillName = useEditor((state) => stepOf(state, id)?.skill_name ?? '');
  const actions = useEditor((state) => state.skills.actionsOf(skillName));
  const error = useFieldProblem(id, 'with');
  const chosen = textOf(values?.['action']);
  const entry = actions?.actions.find(({ action }) => action.id === chosen);
  const list = (actions?.actions ?? []).filter(({ action }) => action.entrypoint.type === 'cli');
  const input = (values?.['input'] ?? {}) as Record<string, unknown>;
  const problems = entry === undefined ? [] : checkInput(entry.action.inputSchema, withoutTemplates(input)).problems;
  const data = list.map(({ action }) => ({ value: action.id, label: action.title ?? action.id }));
  if (chosen !== '' && entry === undefined) data.push({ value: chosen, label: chosen });
  return (
    <>
      <Select
        label={t('field.with_action')}
        placeholder={list.length === 0 ? t('inspector.noActions') : t('inspector.chooseAction')}
        data={data}
        value={chosen === '' ? null : chosen}
        error={error}
        data-field="with"
        onChange={(actionId) => {
          const next = list.find(({ action }) => action.id === actionId)?.action;
          const step = stepOf(store.getState(), id);
          if (next === undefined || step === undefined) return;
          const description = next.description ?? next.title ?? '';
          const patch = { with: { ...step.with, action: next.id, input: defaultInput(next.inputSchema) } };
          store.getState().edit(patchStep(id, step.action === '' ? { ...patch, action: description } : patch));
        }}
      />
      {Object.entries(entry?.action.inputSchema?.properties ?? {}).map(([name, property]) => {
        const problem = problems.find(({ field }) => field === name);
        return (
          <InputField
            key={name}
            name={name}
            property={property}
            required={entry?.action.inputSchema?.required?.includes(name) === true}
            value={input[name]}
            error={problem === undefined ? null : inputProblemText(locale, problem)}
            onChange={(value) => {
              const next = { ...input, [name]: value };
              if (value === undefined) delete next[name];
              set({ input: next }, `input ${name}`);
            }}
          />
        );
      })}
    </>
  );
}

function InputField({
  name,
  property,
  required,
  value,
  error,
  onChange,
}: {
  name: string;
  property: InputProperty;
  required: boolean;
  value: unknown;
  error: string | null;
  onChange: (value: Scalar | undefined) => void;
}) {
  const common = {
    label: property.title ?? name,
    description: property.description,
    error,
    withAsterisk: required,
    'data-input': name,
  };
  if (property.type === 'boolean') {
    return (
      <Switch
        size="xs"
        label={common.label}
        description={common.description}
        checked={(value ?? property.default) === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (property.enum !== undefined) {
    const choices = property.enum;
    return (
      <Select
        {...common}
        data={choices.map((choice) => String(choice))}
        value={value === undefined ? null : String(value)}
        placeholder={property.default === undefined ? '' : String(property.default)}
        clearable={!required}
        onChange={(text) => onChange(text === null ? undefined : choices.find((choice) => String(choice) === text))}
      />
    );
  }
  if (property.type !== 'string') {
    return (
      <NumberInput
        {...common}
        value={typeof value === 'number' ? value : ''}
        placeholder={property.default === undefined ? '' : String(property.default)}
        allowDecimal={property.type === 'number'}
        onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      type={property.sensitive === true ? 'password' : 'text'}
      value={textOf(value)}
      placeholder={property.default === undefined ? '' : String(property.default)}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
    />
  );
}

function ProgramFields({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const [values, set] = useWith(id);
  const skillName = useEditor((state) => stepOf(state, id)?.skill_name ?? '');
  const scripts = useEditor((state) => state.skills.find(skillName)?.scripts ?? noScripts);
  const error = useFieldProblem(id, 'with');
  return (
    <>
      <Autocomplete
        size="xs"
        label={t('field.entrypoint')}
        placeholder={scripts[0] ?? t('inspector.noScripts')}
        data={[...scripts]}
        value={textOf(values?.['entrypoint'])}
        error={error}
        data-field="with"
        onChange={(value) => set({ entrypoint: value === '' ? undefined : value }, 'entrypoint')}
      />
      <ArgumentsField key={id} values={values?.['args']} onChange={(args) => set({ args }, 'args')} />
      <Textarea
        label={t('field.stdin')}
        autosize
        minRows={1}
        maxRows={8}
        value={textOf(values?.['stdin'])}
        onChange={(event) =>
          set({ stdin: event.currentTarget.value === '' ? undefined : event.currentTarget.value }, 'stdin')
        }
      />
    </>
  );
}

const noScripts: readonly string[] = [];

/** One argument a line; no quoting to learn, and an argument with spaces stays one. */
function ArgumentsField({ values, onChange }: { values: unknown; onChange: (args: string[] | undefined) => void }) {
  const { t } = useTranslation('editor');
  const args = Array.isArray(values) ? values.map(String) : [];
  const [typed, setTyped] = useState<string | null>(null);
  // An empty last line is no argument yet, but the cursor stands in it.
  const shown = typed !== null && sameArgs(typed, args) ? typed : args.join('\n');
  return (
    <Textarea
      label={t('field.args')}
      description={t('inspector.argsAbout')}
      autosize
      minRows={1}
      maxRows={8}
      className={classes['mono'] ?? ''}
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        const next = linesOf(event.currentTarget.value);
        onChange(next.length === 0 ? undefined : next);
      }}
    />
  );
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function sameArgs(text: string, args: readonly string[]): boolean {
  const lines = linesOf(text);
  return lines.length === args.length && lines.every((line, index) => line === args[index]);
}

/** A value that is filled in when the step runs can not be checked now. */
function withoutTemplates(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => !(typeof value === 'string' && value.includes('{{'))),
  );
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
