import { Button } from '@mantine/core';
import { FileWarning } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import { readError } from '../api/client.ts';
import { navigate } from '../stores/route.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';
import { EditorContext } from './state/editor-context.ts';
import { leaveChain, type OpenChain, openChain } from './state/open-chains.ts';
import { Workspace } from './workspace.tsx';

/** One chain: canvas, outline and text over the same edits, its run drawn on it. `toolbar` is placed in the top row. */
export function ChainEditor({ name, toolbar }: { name: string; toolbar: ReactNode }) {
  const [opened, setOpened] = useState<OpenChain | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` is the wish to try once more.
  useEffect(() => {
    let gone = false;
    setError(null);
    openChain(name).then(
      (chain) => !gone && setOpened(chain),
      (thrown) => !gone && setError(readError(thrown)),
    );
    return () => {
      gone = true;
      leaveChain(name);
    };
  }, [name, attempt]);
  if (error !== null) {
    return <NotOpened name={name} error={error} toolbar={toolbar} onAgain={() => setAttempt((now) => now + 1)} />;
  }
  if (opened === null) return null;
  return (
    <EditorContext value={opened.store}>
      <Workspace opened={opened} toolbar={toolbar} />
    </EditorContext>
  );
}

/** A file that can not be read whole is never shown half, so that nothing of it can be written over. */
function NotOpened({
  name,
  error,
  toolbar,
  onAgain,
}: {
  name: string;
  error: AppError;
  toolbar: ReactNode;
  onAgain: () => void;
}) {
  const { t } = useTranslation(['editor', 'common']);
  return (
    <Page title={name} toolbar={toolbar}>
      <EmptyState
        icon={FileWarning}
        title={t('notOpened.title')}
        actions={
          <>
            <Button onClick={onAgain}>{t('common:again')}</Button>
            <Button variant="default" onClick={() => navigate({ room: 'chains' })}>
              {t('notOpened.list')}
            </Button>
          </>
        }
      >
        <ErrorNote error={error} />
      </EmptyState>
    </Page>
  );
}
