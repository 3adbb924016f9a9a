import { ChevronRight, FolderOpen, FolderX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { noticeText } from '../../shared/skill/notice-texts.ts';
import { type SkillScan, skillStates } from '../../shared/skill/skill.ts';
import { useLocale } from '../i18n/i18n.ts';
import { hrefOf } from '../stores/route.ts';
import { durationText } from '../ui/time.tsx';
import classes from './folders-searched.module.css';
import { hostName } from './host-name.ts';

/** Which folders were searched, what each held and what is to be said about it; folded, since it is rarely needed. */
export function FoldersSearched({ scan }: { scan: SkillScan }) {
  const { t } = useTranslation(['skills', 'common']);
  const locale = useLocale();
  const said = scan.roots.reduce((sum, root) => sum + (root.exists ? root.notices.length : 0), 0);
  const sum = skillStates
    .filter((state) => (scan.counts.by_state[state] ?? 0) > 0)
    .map((state) => `${scan.counts.by_state[state]} ${t(`state.${state}`)}`)
    .join(' + ');
  return (
    <details className={classes['folders']}>
      <summary>
        <ChevronRight size={14} aria-hidden className={classes['chevron']} />
        {t('folders.title', { count: scan.roots.filter((root) => root.exists).length })}
        {said > 0 && <span className={classes['said']}>{t('folders.remarks', { count: said })}</span>}
        <span className={classes['time']}>{durationText(scan.duration_ms, t)}</span>
      </summary>
      <ol className={classes['list']}>
        {scan.roots.map((root) => (
          <li key={root.id} data-missing={!root.exists || undefined}>
            {root.exists ? <FolderOpen size={15} aria-hidden /> : <FolderX size={15} aria-hidden />}
            <div>
              <div className={classes['line']}>
                <strong>{hostName(root, t)}</strong>
                <code>{root.folder}</code>
                {root.exists && <span className={classes['found']}>{t('folders.found', { count: root.found })}</span>}
              </div>
              {root.notices.map((notice) => (
                <p key={`${notice.code}${JSON.stringify(notice.params)}`} className={classes['notice']}>
                  {noticeText(locale, notice)}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <p className={classes['foot']}>
        {sum !== '' && (
          <span>
            {sum} = {t('folders.found', { count: scan.counts.found })}
          </span>
        )}
        <a href={hrefOf({ room: 'settings', key: 'skill_folders' })}>{t('folders.add')}</a>
      </p>
    </details>
  );
}
