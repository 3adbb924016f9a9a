import { Button, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelEndpoint } from '../../shared/settings/settings.ts';
import classes from './list-setting.module.css';
import { type ModelField, modelProblems } from './model-fields.ts';

/** One model; its key is never asked for, only the name of the variable that holds it. */
export function ModelForm({
  model,
  others,
  busy,
  onSave,
  onCancel,
}: {
  model: ModelEndpoint;
  others: readonly string[];
  busy: boolean;
  onSave: (model: ModelEndpoint) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation(['settings', 'common']);
  const [draft, setDraft] = useState(model);
  const [shown, setShown] = useState(false);
  const providerLabel = useId();
  const wanted: ModelEndpoint = {
    ...draft,
    name: draft.name.trim(),
    base_url: draft.base_url.trim(),
    model: draft.model.trim(),
    api_key_env: draft.api_key_env.trim(),
  };
  const problems = modelProblems(wanted, others);
  const sentence = (field: ModelField) => {
    const code = problems[field];
    return shown && code !== undefined ? t(`models.problem.${code}`) : undefined;
  };
  const change = (patch: Partial<ModelEndpoint>) => setDraft((before) => ({ ...before, ...patch }));
  const changeLimit = (field: 'max_tokens' | 'temperature', value: number | string) =>
    setDraft(({ [field]: _, ...rest }) => (value === '' ? rest : { ...rest, [field]: Number(value) }));
  const isAnthropic = draft.provider === 'anthropic';

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setShown(true);
    const [first] = Object.keys(problems);
    if (first === undefined) onSave(wanted);
    else event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }

  return (
    <form
      className={classes['form']}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <div className={classes['pair']}>
        <TextInput
          name="name"
          label={t('models.name')}
          description={t('models.nameText')}
          value={draft.name}
          error={sentence('name')}
          withAsterisk
          autoFocus
          spellCheck={false}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <div>
          <p className={classes['label']} id={providerLabel}>
            {t('models.provider')}
          </p>
          <SegmentedControl
            aria-labelledby={providerLabel}
            value={draft.provider}
            data={[
              { value: 'openai-compatible', label: t('models.openaiCompatible') },
              { value: 'anthropic', label: t('models.anthropic') },
            ]}
            onChange={(value) => change({ provider: value === 'anthropic' ? 'anthropic' : 'openai-compatible' })}
          />
        </div>
      </div>
      <TextInput
        name="base_url"
        label={t('models.address')}
        description={t(isAnthropic ? 'models.addressTextAnthropic' : 'models.addressText')}
        placeholder={isAnthropic ? 'https://api.anthropic.com/v1' : 'http://localhost:11434/v1'}
        value={draft.base_url}
        error={sentence('base_url')}
        withAsterisk={!isAnthropic}
        spellCheck={false}
        onChange={(event) => change({ base_url: event.currentTarget.value })}
      />
      <div className={classes['pair']}>
        <TextInput
          name="model"
          label={t('models.model')}
          description={t('models.modelText')}
          value={draft.model}
          error={sentence('model')}
          withAsterisk
          spellCheck={false}
          onChange={(event) => change({ model: event.currentTarget.value })}
        />
        <TextInput
          name="api_key_env"
          label={t('models.key')}
          description={t('models.keyText')}
          placeholder="MY_MODEL_KEY"
          value={draft.api_key_env}
          error={sentence('api_key_env')}
          spellCheck={false}
          onChange={(event) => change({ api_key_env: event.currentTarget.value })}
        />
      </div>
      <div className={classes['pair']}>
        <NumberInput
          name="max_tokens"
          label={t('models.maxTokens')}
          placeholder={t('models.itsOwn')}
          value={draft.max_tokens ?? ''}
          error={sentence('max_tokens')}
          min={1}
          clampBehavior="none"
          onChange={(value) => changeLimit('max_tokens', value)}
        />
        <NumberInput
          name="temperature"
          label={t('models.temperature')}
          placeholder={t('models.itsOwn')}
          value={draft.temperature ?? ''}
          error={sentence('temperature')}
          min={0}
          step={0.1}
          clampBehavior="none"
          onChange={(value) => changeLimit('temperature', value)}
        />
      </div>
      <div className={classes['pair']}>
        <NumberInput
          name="timeout_seconds"
          label={t('models.timeout')}
          value={draft.timeout_seconds}
          error={sentence('timeout_seconds')}
          min={1}
          clampBehavior="none"
          onChange={(value) => change({ timeout_seconds: value === '' ? 0 : Number(value) })}
        />
      </div>
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={busy}>
          {t('models.save')}
        </Button>
      </div>
    </form>
  );
}
