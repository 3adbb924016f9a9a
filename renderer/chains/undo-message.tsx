import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import { readError } from '../api/client.ts';
import { ErrorNote } from '../ui/error-note.tsx';

/** Says that a chain is in the trash, with the button that takes it out again. */
export function UndoMessage({ name, restore }: { name: string; restore: () => Promise<void> }) {
  const { t } = useTranslation('chains');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppError | null>(null);

  async function undo() {
    setBusy(true);
    try {
      await restore();
    } catch (thrown) {
      setError(readError(thrown));
      setBusy(false);
    }
  }

  if (error !== null) return <ErrorNote error={error} />;
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap">
      <span>{t('deleted', { name })}</span>
      <Button variant="light" size="compact-xs" loading={busy} onClick={() => void undo()}>
        {t('undo')}
      </Button>
    </Group>
  );
}
