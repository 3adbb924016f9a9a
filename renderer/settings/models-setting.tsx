import { ActionIcon, Button, Select, Tooltip } from '@mantine/core';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelEndpoint } from '../../shared/settings/settings.ts';
import { useSettings } from '../stores/settings-store.ts';
import classes from './list-setting.module.css';
import { ModelForm } from './model-form.tsx';
import { controlNames, fieldNames, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

const newModel: ModelEndpoint = {
  name: '',
  provider: 'openai-compatible',
  base_url: '',
  model: '',
  api_key_env: '',
  timeout_seconds: 300,
};

/** The models that steps can ask. */
export function ModelsSetting() {
  const { t } = useTranslation('settings');
  const handle = useSetting('models');
  const models = handle.value;
  /** Index of the model in the form; the length of the list is a new one. */
  const [edited, setEdited] = useState<number | null>(null);

  const put = (index: number, model: ModelEndpoint) =>
    handle
      .save(index < models.length ? models.map((other, at) => (at === index ? model : other)) : [...models, model])
      .then((saved) => saved && setEdited(null));
  const form = (index: number) => (
    <ModelForm
      model={models[index] ?? newModel}
      others={models.filter((_, at) => at !== index).map((other) => other.name)}
      busy={handle.saving}
      onSave={(model) => void put(index, model)}
      onCancel={() => setEdited(null)}
    />
  );

  return (
    <SettingRow name="models" handle={handle} defaultText={t('models.none')} wide>
      <div className={classes['list']}>
        {models.length > 0 && (
          <ul className={classes['items']}>
            {models.map((model, index) =>
              edited === index ? (
                <li key={model.name} className={classes['formItem']}>
                  {form(index)}
                </li>
              ) : (
                <li key={model.name} className={classes['item']}>
                  <div className={classes['itemText']}>
                    <strong>{model.name}</strong>
                    <code>{[model.model, model.base_url].filter((part) => part !== '').join(' · ')}</code>
                  </div>
                  <Tooltip label={t('models.edit')}>
                    <ActionIcon aria-label={`${t('models.edit')}: ${model.name}`} onClick={() => setEdited(index)}>
                      <Pencil size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('models.remove')}>
                    <ActionIcon
                      aria-label={`${t('models.remove')}: ${model.name}`}
                      onClick={() => void handle.save(models.filter((_, at) => at !== index))}
                    >
                      <Trash2 size={14} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </li>
              ),
            )}
          </ul>
        )}
        {edited === models.length ? (
          <div className={classes['newForm']}>{form(models.length)}</div>
        ) : (
          <Button
            {...controlNames('models')}
            aria-labelledby={undefined}
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setEdited(models.length)}
          >
            {t('models.add')}
          </Button>
        )}
      </div>
    </SettingRow>
  );
}

/** One of the models of the list, or none; a name that the list has no longer stays in sight and says so. */
export function DefaultModelSetting() {
  const { t } = useTranslation('settings');
  const name = 'default_model';
  const handle = useSetting(name);
  const names = [...new Set(useSettings().models.map((model) => model.name))];
  const isUnknown = handle.value !== '' && !names.includes(handle.value);
  const problem = isUnknown ? t('models.problem.unknown', { name: handle.value }) : null;
  return (
    <SettingRow name={name} handle={handle} defaultText={t('models.none')} problem={problem}>
      <Select
        {...fieldNames(name, t(`field.${name}.title`), problem)}
        value={handle.value}
        data={[
          { value: '', label: t('models.none') },
          ...[...(isUnknown ? [handle.value] : []), ...names].map((value) => ({ value, label: value })),
        ]}
        error={problem !== null}
        allowDeselect={false}
        w="100%"
        onChange={(value) => {
          if (value !== null && value !== handle.value) void handle.save(value);
        }}
      />
    </SettingRow>
  );
}
