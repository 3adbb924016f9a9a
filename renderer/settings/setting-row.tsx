import { ActionIcon, Tooltip } from '@mantine/core';
import { Check, RotateCcw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingKey } from '../../shared/settings/settings.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import classes from './setting-row.module.css';
import type { SettingHandle } from './use-setting.ts';

const toldMs = 1800;

/** One setting on the page: name, meaning, control, whether the file sets it, and what is wrong with it. */
export function SettingRow({
  name,
  handle,
  defaultText,
  problem = null,
  wide = false,
  children,
}: {
  name: SettingKey;
  handle: Pick<SettingHandle<SettingKey>, 'changed' | 'fileProblem' | 'error' | 'saves' | 'reset'>;
  /** The default in words. */
  defaultText: string;
  /** What is wrong with what stands in the control. */
  problem?: string | null;
  /** The control takes the width of the page, below the text. */
  wide?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation('settings');
  const { changed, fileProblem, error, saves, reset } = handle;
  const told = useTold(saves);
  return (
    <div className={classes['row']} data-setting={name} data-wide={wide || undefined}>
      <div className={classes['text']}>
        <div className={classes['head']}>
          <h3 className={classes['title']} id={`setting-${name}`}>
            {t(`field.${name}.title`)}
          </h3>
          {changed && <span className={classes['changed']}>{t('changed')}</span>}
          <span className={classes['saved']} role="status">
            {told && (
              <>
                <Check size={13} aria-hidden /> {t('saved')}
              </>
            )}
          </span>
        </div>
        <p className={classes['description']} id={`setting-${name}-text`}>
          {t(`field.${name}.text`)}
        </p>
        <p className={classes['meta']}>
          <code>{name}</code> · {t('default', { value: defaultText })}
        </p>
      </div>
      <div className={classes['control']}>
        <div className={classes['field']}>{children}</div>
        <div className={classes['reset']}>
          {changed && (
            <Tooltip label={t('reset')}>
              <ActionIcon aria-label={`${t('reset')}: ${t(`field.${name}.title`)}`} onClick={() => void reset()}>
                <RotateCcw size={15} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      </div>
      {(problem !== null || fileProblem !== null || error !== null) && (
        <div className={classes['below']}>
          {problem !== null && (
            <p className={classes['problem']} role="alert" id={`setting-${name}-problem`}>
              {problem}
            </p>
          )}
          {fileProblem !== null && (
            <p className={classes['fileProblem']}>
              <TriangleAlert size={14} aria-hidden />
              <span>
                {t('fileProblem')} <code>{fileProblem}</code>
                {t('fileProblemEnd')}
              </span>
            </p>
          )}
          <ErrorNote error={error} />
        </div>
      )}
    </div>
  );
}

/** What every control of a row carries, so that its name and meaning are read out. */
export function controlNames(name: SettingKey, problem: string | null = null) {
  return {
    'aria-labelledby': `setting-${name}`,
    'aria-describedby': `setting-${name}-text${problem === null ? '' : ` setting-${name}-problem`}`,
    'data-control': name,
  };
}

/** The same for a field of Mantine, which drops what describes it unless it is told that somebody else names it. */
export function fieldNames(name: SettingKey, title: string, problem: string | null = null) {
  const { 'aria-labelledby': _, ...names } = controlNames(name, problem);
  return { ...names, 'aria-label': title, withAria: false, ...(problem === null ? {} : { 'aria-invalid': true }) };
}

/** True for a moment after each save. */
function useTold(saves: number): boolean {
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (saves === 0) return;
    setTold(true);
    const timer = setTimeout(() => setTold(false), toldMs);
    return () => clearTimeout(timer);
  }, [saves]);
  return told;
}
