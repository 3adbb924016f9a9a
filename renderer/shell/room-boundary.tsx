import { Button } from '@mantine/core';
import { RefreshCw, TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/**
 * Keeps the window when a room can not be drawn: another room can be gone to, and the page can be loaded anew. That is
 * also the way out when the program was replaced by a newer one while the window was open.
 */
export class RoomBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override componentDidUpdate(before: Props): void {
    if (before.place !== this.props.place && this.state.failed !== null) this.setState({ failed: null });
  }

  override render() {
    const { failed } = this.state;
    return failed === null ? this.props.children : <NotShown error={failed.error} />;
  }
}

interface Props {
  /** Where the person is; going elsewhere is another try. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly failed: { readonly error: unknown } | null;
}

function NotShown({ error }: { error: unknown }) {
  const { t } = useTranslation('common');
  return (
    <Page title={t('product')}>
      <div role="alert">
        <EmptyState
          icon={TriangleAlert}
          title={t('notShown.title')}
          actions={
            <Button leftSection={<RefreshCw size={15} aria-hidden />} onClick={() => window.location.reload()}>
              {t('notShown.reload')}
            </Button>
          }
        >
          <p>{t('notShown.text')}</p>
          <code>{error instanceof Error ? error.message : String(error)}</code>
        </EmptyState>
      </div>
    </Page>
  );
}
