import { NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { propertiesOf } from '../../shared/action/input-schema.ts';
import type { InputProperty, InputSchema, Scalar } from '../../shared/action/manifest.ts';
import classes from './action-form.module.css';

/** What stands in the form now; an absent field has no value. */
export type FormValues = Readonly<Record<string, Scalar | undefined>>;

/** Texts that may be longer than this get a field of several lines. */
const longTextFrom = 400;

/** One field per property of an action's input schema; problems stand at their fields. */
export function ActionForm({
  schema,
  values,
  problems,
  onChange,
  onLeave,
}: {
  schema: InputSchema | undefined;
  values: FormValues;
  /** Sentence by field; only of fields that should show it now. */
  problems: Readonly<Record<string, string>>;
  onChange: (field: string, value: Scalar | undefined) => void;
  /** The focus left a field. */
  onLeave: (field: string) => void;
}) {
  const required = new Set(schema?.required ?? []);
  return (
    <div className={classes['fields']}>
      {[...propertiesOf(schema)].map(([field, property], index) => (
        <Field
          key={field}
          name={field}
          property={property}
          required={required.has(field)}
          value={values[field]}
          problem={problems[field]}
          first={index === 0}
          onChange={(value) => onChange(field, value)}
          onBlur={() => onLeave(field)}
        />
      ))}
    </div>
  );
}

function Field({
  name,
  property,
  required,
  value,
  problem,
  first,
  onChange,
  onBlur,
}: {
  name: string;
  property: InputProperty;
  required: boolean;
  value: Scalar | undefined;
  problem: string | undefined;
  first: boolean;
  onChange: (value: Scalar | undefined) => void;
  onBlur: () => void;
}) {
  const { t } = useTranslation('toolbar');
  const common = {
    name,
    label: property.title ?? name,
    ...(property.description === undefined ? {} : { description: property.description }),
    error: problem,
    onBlur,
    ...(first ? { 'data-autofocus': true } : {}),
  };
  const marked = { ...common, withAsterisk: required, 'aria-required': required };

  if (property.enum !== undefined) {
    const options = property.enum;
    return (
      <Select
        {...marked}
        data={options.map((option) => ({ value: String(option), label: optionLabel(option, t) }))}
        value={value === undefined ? null : String(value)}
        clearable={!required && property.default === undefined}
        clearButtonProps={{ 'aria-label': t('clear') }}
        allowDeselect={false}
        placeholder={t('choose')}
        onChange={(text) => onChange(options.find((option) => String(option) === text))}
      />
    );
  }
  if (property.type === 'boolean') {
    return <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (property.type === 'number' || property.type === 'integer') {
    return (
      <NumberInput
        {...marked}
        value={typeof value === 'number' || typeof value === 'string' ? value : ''}
        allowDecimal={property.type === 'number'}
        {...(property.minimum === undefined ? {} : { min: property.minimum })}
        {...(property.maximum === undefined ? {} : { max: property.maximum })}
        clampBehavior="none"
        onChange={(next) => onChange(numberOf(next))}
      />
    );
  }
  const text = {
    ...marked,
    value: value === undefined ? '' : String(value),
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value),
  };
  if (property.sensitive === true) {
    return (
      <PasswordInput
        {...text}
        visibilityToggleButtonProps={{ 'aria-label': t('showText') }}
        autoComplete="new-password"
      />
    );
  }
  if (property.maxLength !== undefined && property.maxLength >= longTextFrom) {
    return <Textarea {...text} autosize minRows={3} maxRows={10} />;
  }
  return <TextInput {...text} />;
}

/** The field hands out text while a number is not complete or too long to be one exactly. */
function numberOf(next: number | string): Scalar | undefined {
  if (typeof next === 'number') return next;
  if (next.trim() === '') return undefined;
  const number = Number(next);
  return Number.isFinite(number) ? number : next;
}

function optionLabel(option: Scalar, t: (key: string) => string): string {
  if (option === true) return t('yes');
  if (option === false) return t('no');
  return String(option);
}
