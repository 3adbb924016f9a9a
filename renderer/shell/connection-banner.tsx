import { Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../stores/live.ts';
import classes from './connection-banner.module.css';

/** Says that the program behind the window does not answer; goes by itself when it does again. */
export function ConnectionBanner() {
  const { t } = useTranslation('common');
  const { state, error } = useConnection();
  if (state !== 'lost') return null;
  const refused = error?.code === 'NOT_AUTHORISED' || error?.code === 'FORBIDDEN';
  return (
    <div className={classes['banner']} role="alert">
      <Unplug size={15} aria-hidden />
      <strong>{refused ? t('connection.refused') : t('connection.lost')}</strong>
      <span>{refused ? t('connection.refusedHint') : t('connection.lostHint')}</span>
    </div>
  );
}
