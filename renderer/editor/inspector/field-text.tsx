import { Textarea, TextInput } from '@mantine/core';
import { memo, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import { patchStep } from '../state/step-edits.ts';
import { useFieldProblem } from './use-field-problem.ts';

export type TextField = 'step_name' | 'action' | 'skill_instruction' | 'detail' | 'condition' | 'notes';

/** Fields that a step always has; the others go away when their text does. */
const always: readonly string[] = ['step_name', 'action'];

/** A text of a step, edited in place. What is typed while the field has the focus is one undo entry. */
export const FieldText = memo(function FieldText({
  id,
  field,
  rows,
  label,
  placeholder,
  description,
  monospace,
}: {
  id: string;
  field: TextField;
  /** More than one = a field that grows. */
  rows?: number;
  label?: string;
  placeholder?: string;
  description?: ReactNode;
  monospace?: boolean;
}) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const value = useEditor((state) => stepOf(state, id)?.[field]) ?? '';
  const error = useFieldProblem(id, field);
  const visit = useRef(0);
  const props = {
    label: label ?? t(`field.${field}`),
    value: String(value),
    placeholder: placeholder ?? '',
    description,
    error,
    'data-field': field,
    spellCheck: false,
    styles:
      monospace === true ? { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.75rem' } } : {},
    onFocus: () => {
      visit.current += 1;
    },
    onChange: (event: { currentTarget: { value: string } }) => {
      const text = event.currentTarget.value;
      const next = text === '' && !always.includes(field) ? undefined : text;
      store.getState().edit(patchStep(id, { [field]: next }), { group: `${id} ${field} ${visit.current}` });
    },
  };
  return rows === undefined ? <TextInput {...props} /> : <Textarea {...props} autosize minRows={rows} maxRows={14} />;
});
