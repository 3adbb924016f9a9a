import { Modal, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChains } from '../stores/chains-store.ts';
import { SearchBox } from '../ui/search-box.tsx';
import classes from './pick-dialog.module.css';

/** Asks which chain a command is meant for. */
export function PickDialog({ onPick, onClose }: { onPick: (name: string) => void; onClose: () => void }) {
  const { t } = useTranslation(['chains', 'common']);
  const [query, setQuery] = useState('');
  const chains = useChains((state) => state.value);
  const shown = (chains ?? []).filter(
    (chain) => chain.broken === null && chain.name.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('pick.title')}
      size="sm"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <SearchBox label={t('search')} value={query} onChange={setQuery} />
      <ul className={classes['list']}>
        {shown.map((chain) => (
          <li key={chain.name}>
            <UnstyledButton
              className={classes['item']}
              onClick={() => {
                onClose();
                onPick(chain.name);
              }}
            >
              <span>{chain.name}</span>
              <span className={classes['aside']}>{t('steps', { count: chain.steps })}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={classes['none']}>{t('noMatch.title')}</p>}
    </Modal>
  );
}
