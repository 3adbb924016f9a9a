import { CloseButton } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type AppError, errorHint, errorMessage } from '../../shared/errors/app-error.ts';
import { useLocale } from '../i18n/i18n.ts';
import classes from './error-note.module.css';

/** A failure where it happened: sentence, next step, code; with room for a button that helps. */
export function ErrorNote({
  error,
  onClose,
  children,
}: {
  error: AppError | null;
  onClose?: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation('common');
  const locale = useLocale();
  if (error === null) return null;
  return (
    <div className={classes['note']} role="alert">
      <CircleAlert size={16} aria-hidden className={classes['icon']} />
      <div className={classes['body']}>
        <div className={classes['message']}>{errorMessage(error.toWire(), locale)}</div>
        <div className={classes['hint']}>
          {errorHint(error, locale)} <code>{error.code}</code>
        </div>
        {children}
      </div>
      {onClose !== undefined && <CloseButton size="sm" aria-label={t('close')} onClick={onClose} />}
    </div>
  );
}
