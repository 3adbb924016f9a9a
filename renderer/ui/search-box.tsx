import { CloseButton, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import classes from './search-box.module.css';

/** Narrows a list while typing; Escape empties it. */
export function SearchBox({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation('common');
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={value}
      className={classes['search'] ?? ''}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={
        value === '' ? null : <CloseButton size="xs" aria-label={t('clearSearch')} onClick={() => onChange('')} />
      }
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') {
          event.stopPropagation();
          onChange('');
        }
      }}
    />
  );
}
