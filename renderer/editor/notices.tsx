import { Button } from '@mantine/core';
import { FileQuestionMark, History } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { AppError } from '../../shared/errors/app-error.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { When } from '../ui/time.tsx';
import classes from './notices.module.css';
import type { ChainRun } from './run/use-chain-run.ts';
import { useEditor, useEditorStore } from './state/editor-context.ts';
import type { OpenChain } from './state/open-chains.ts';

/** What the person must know about the whole chain, over the canvas: one below the other, the gravest first. */
export function EditorNotices({ opened, run }: { opened: OpenChain; run: ChainRun }) {
  const { t } = useTranslation('editor');
  const { saver } = opened;
  const store = useEditorStore();
  const refusal = useEditor((state) => state.refusal);
  const { error, draft, missing } = useStore(saver.state);
  return (
    <div className={classes['notices']}>
      {missing && (
        <div className={classes['notice']} data-tone="bad" role="alert">
          <FileQuestionMark size={16} aria-hidden />
          <span>{t('notice.missing')}</span>
          <Button size="compact-xs" onClick={() => void saver.recreate()}>
            {t('notice.recreate')}
          </Button>
        </div>
      )}
      {!missing && (
        <ErrorNote error={error} onClose={() => saver.state.setState({ error: null })}>
          <Button size="compact-xs" variant="light" mt={4} onClick={() => void saver.save()}>
            {t('save.save')}
          </Button>
        </ErrorNote>
      )}
      <ErrorNote error={run.error} onClose={run.clearError}>
        {run.error?.code === 'CHAIN_INVALID' && (
          <Button size="compact-xs" variant="light" mt={4} onClick={() => store.getState().setPanel('problems')}>
            {t('notice.showProblems')}
          </Button>
        )}
      </ErrorNote>
      {draft !== null && (
        <section className={classes['notice']} aria-label={t('notice.draftLabel')}>
          <History size={16} aria-hidden />
          <span>
            {t('notice.draft')} <When at={draft.saved_at} />
          </span>
          <Button size="compact-xs" onClick={saver.restoreDraft}>
            {t('notice.restore')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => void saver.discardDraft()}>
            {t('notice.discard')}
          </Button>
        </section>
      )}
      {refusal !== null && (
        <div className={classes['refusal']}>
          <ErrorNote error={AppError.fromWire(refusal)} onClose={() => store.getState().clearRefusal()} />
        </div>
      )}
    </div>
  );
}
