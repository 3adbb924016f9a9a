import { Button } from '@mantine/core';
import { Eye, FileUp, type LucideIcon, PackagePlus, Play, Plus, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppError } from '../../shared/errors/app-error.ts';
import { readError } from '../api/client.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { chainDialogs } from './chain-dialogs.tsx';
import { ChainPicture } from './chain-picture.tsx';
import classes from './first-chain.module.css';
import { installSamples } from './install-samples.ts';

const steps: readonly { key: 'step1' | 'step2' | 'step3'; icon: LucideIcon }[] = [
  { key: 'step1', icon: Waypoints },
  { key: 'step2', icon: Eye },
  { key: 'step3', icon: Play },
];

/** The first start: what a chain is, and the two ways to have one. */
export function FirstChain({ onError }: { onError: (error: AppError) => void }) {
  const { t } = useTranslation('chains');
  const [busy, setBusy] = useState(false);

  async function install() {
    setBusy(true);
    try {
      await installSamples();
    } catch (thrown) {
      onError(readError(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={classes['first']}>
      <ChainPicture />
      <EmptyState
        title={t('empty.title')}
        actions={
          <>
            <Button
              size="sm"
              loading={busy}
              leftSection={<PackagePlus size={16} aria-hidden />}
              onClick={() => void install()}
            >
              {t('empty.samples')}
            </Button>
            <Button
              size="sm"
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
              onClick={chainDialogs.create}
            >
              {t('new')}
            </Button>
            <Button
              size="sm"
              variant="default"
              leftSection={<FileUp size={16} aria-hidden />}
              onClick={chainDialogs.import}
            >
              {t('import')}
            </Button>
          </>
        }
      >
        {t('empty.text')}
      </EmptyState>
      <ol className={classes['steps']}>
        {steps.map(({ key, icon: Icon }) => (
          <li key={key} className={classes['step']}>
            <Icon size={18} strokeWidth={1.7} aria-hidden />
            <div>
              <strong>{t(`empty.${key}`)}</strong>
              <p>{t(`empty.${key}Text`)}</p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
