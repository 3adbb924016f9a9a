import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChainSummary } from '../../shared/api/contract.ts';
import { type AppError, errorHint, errorMessage } from '../../shared/errors/app-error.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import { useChains } from '../stores/chains-store.ts';
import { navigate } from '../stores/route.ts';

/** Asks for a chain's name: a new one, another one, or that of a copy. What is wrong with it is said at the field. */
export function NameDialog({
  kind,
  chain,
  onClose,
}: {
  kind: 'create' | 'rename' | 'duplicate';
  /** The chain in question; null for a new one. */
  chain: ChainSummary | null;
  onClose: () => void;
}) {
  const { t } = useTranslation(['chains', 'common']);
  const locale = useLocale();
  const [name, setName] = useState(() => firstName(kind, chain, t('copyOf', { name: chain?.name })));
  const [error, setError] = useState<AppError | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const made = await carryOut(kind, chain, name.trim());
      await useChains.getState().refresh();
      onClose();
      if (kind === 'create') navigate({ room: 'chain', name: made });
    } catch (thrown) {
      setError(readError(thrown));
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`dialog.${kind}.title`)}
      size="sm"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <form onSubmit={submit}>
        <TextInput
          label={t('dialog.name')}
          description={t(`dialog.${kind}.hint`)}
          value={name}
          data-autofocus
          autoComplete="off"
          maxLength={1000}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setError(null);
          }}
          error={error === null ? null : `${errorMessage(error.toWire(), locale)} ${errorHint(error, locale)}`}
        />
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={name.trim() === ''}>
            {t(`dialog.${kind}.submit`)}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

function firstName(kind: 'create' | 'rename' | 'duplicate', chain: ChainSummary | null, copy: string): string {
  if (chain === null) return '';
  return kind === 'duplicate' ? copy : chain.name;
}

async function carryOut(
  kind: 'create' | 'rename' | 'duplicate',
  chain: ChainSummary | null,
  name: string,
): Promise<string> {
  if (chain === null) return (await api.chains.create({ name })).name;
  if (kind === 'duplicate') return (await api.chains.duplicate({ name: chain.name, new_name: name })).name;
  if (name === chain.name) return name;
  const renamed = await api.chains.rename({ name: chain.name, new_name: name, base_revision: chain.revision });
  return renamed.name;
}
