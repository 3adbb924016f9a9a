import { useTranslation } from 'react-i18next';
import type { TryError } from '../../shared/run/event.ts';
import { errorClassText, tryErrorText } from '../../shared/run/run-texts.ts';
import { useLocale } from '../i18n/i18n.ts';
import classes from './try-error-text.module.css';

/** Why a try failed: what the program said, its hint, and how the failure is counted. */
export function TryErrorText({ error }: { error: TryError }) {
  const { t } = useTranslation('common');
  const locale = useLocale();
  const sentence = tryErrorText(locale, error.code);
  const said = error.message.trim();
  return (
    <div className={classes['error']}>
      <p className={classes['message']}>
        {sentence ?? said} <code>{error.code}</code>
      </p>
      {sentence !== null && said !== '' && said !== sentence && <p className={classes['said']}>{said}</p>}
      {error.hint !== null && (
        <p className={classes['hint']}>
          <span>{t('tryError.hint')}</span> {error.hint}
        </p>
      )}
      <p className={classes['class']}>
        {t('tryError.class')}: {errorClassText(locale, error.class)}
        {error.exit_code !== null && ` · ${t('tryError.exit')}: ${error.exit_code}`}
      </p>
    </div>
  );
}
