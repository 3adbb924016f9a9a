import { Button, Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClarifyField } from '../../shared/chain/step-fields.ts';
import type { Question } from '../../shared/run/event.ts';
import classes from './question-card.module.css';

type Value = string | number | boolean | undefined;

/** The form of a question that asks for values, or one field for a text. Gives the answer as the run reads it. */
export function InputAnswer({
  asked,
  busy,
  onAnswer,
}: {
  asked: NonNullable<Question['input']>;
  busy: boolean;
  onAnswer: (answer: string) => void;
}) {
  const { t } = useTranslation('common');
  const [text, setText] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, Value>>>(() =>
    Object.fromEntries(asked.fields.map((field) => [field.name, field.default])),
  );

  function submit(event: FormEvent) {
    event.preventDefault();
    if (asked.fields.length === 0) onAnswer(text);
    else
      onAnswer(JSON.stringify(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))));
  }

  return (
    <form className={classes['form']} onSubmit={submit}>
      {asked.fields.length === 0 ? (
        <Textarea
          label={t('question.answer')}
          value={text}
          autosize
          minRows={1}
          maxRows={10}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        asked.fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name]}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))
      )}
      <div>
        <Button type="submit" size="compact-sm" loading={busy}>
          {t('question.send')}
        </Button>
      </div>
      {asked.cancel_words.length > 0 && (
        <span className={classes['hint']}>{t('question.cancelWords', { words: asked.cancel_words.join(', ') })}</span>
      )}
    </form>
  );
}

function Field({ field, value, onChange }: { field: ClarifyField; value: Value; onChange: (value: Value) => void }) {
  const shared = {
    label: field.label ?? field.name,
    description: field.description,
    withAsterisk: field.required === true,
  };
  switch (field.type ?? 'string') {
    case 'boolean':
      return (
        <Checkbox
          label={shared.label}
          description={field.description}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'enum':
      return (
        <Select
          {...shared}
          data={field.options ?? []}
          value={typeof value === 'string' ? value : null}
          onChange={(chosen) => onChange(chosen ?? undefined)}
        />
      );
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...shared}
          allowDecimal={field.type === 'number'}
          {...(field.min === undefined ? {} : { min: field.min })}
          {...(field.max === undefined ? {} : { max: field.max })}
          value={typeof value === 'number' ? value : ''}
          onChange={(number) => onChange(typeof number === 'number' ? number : undefined)}
        />
      );
    case 'string':
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' ? value : ''}
          maxLength={field.max_length ?? 10_000}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
