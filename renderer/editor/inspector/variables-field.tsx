import { ActionIcon, Button, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { patchInside } from '../state/step-edits.ts';
import classes from './inspector.module.css';

/** Named values that a step takes or gives. A value that is no text in the file is shown as JSON and stays what it is. */
export function VariablesField({ id, side }: { id: string; side: 'inputs' | 'outputs' }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const values = useEditor((state) => stepOf(state, id)?.variables?.[side]);
  const [adding, setAdding] = useState('');
  const rows = Object.entries(values ?? {});
  const set = (next: Record<string, unknown>, group?: string) => {
    const step = stepOf(store.getState(), id);
    if (step === undefined) return;
    const change = { [side]: Object.keys(next).length === 0 ? undefined : next };
    store.getState().edit(patchInside(step, 'variables', change), group === undefined ? {} : { group });
  };
  const add = () => {
    const name = adding.trim();
    if (name === '' || Object.hasOwn(values ?? {}, name)) return;
    set({ ...values, [name]: '' });
    setAdding('');
  };
  return (
    <fieldset className={classes['variables']}>
      <legend className={classes['label']}>{t(`field.${side}`)}</legend>
      {rows.map(([name, value]) => (
        <div key={name} className={classes['variable']}>
          <span className={classes['variableName']} title={name}>
            {name}
          </span>
          <TextInput
            aria-label={t('inspector.valueOf', { name })}
            value={typeof value === 'string' ? value : JSON.stringify(value)}
            readOnly={typeof value !== 'string'}
            onChange={(event) => set({ ...values, [name]: event.currentTarget.value }, `${id} ${side} ${name}`)}
          />
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('inspector.removeValue', { name })}
            onClick={() => {
              const next = { ...values };
              delete next[name];
              set(next);
            }}
          >
            <X size={13} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <div className={classes['variable']}>
        <TextInput
          aria-label={t('inspector.newName')}
          placeholder={t('inspector.newName')}
          value={adding}
          onChange={(event) => setAdding(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') add();
          }}
        />
        <Button
          size="compact-xs"
          variant="light"
          leftSection={<Plus size={12} aria-hidden />}
          disabled={adding.trim() === ''}
          onClick={add}
        >
          {t('inspector.add')}
        </Button>
      </div>
    </fieldset>
  );
}
