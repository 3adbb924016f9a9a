import { Button, Tooltip } from '@mantine/core';
import { CircleX, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { localizeAction } from '../../shared/action/localize-action.ts';
import { manifestProblemText } from '../../shared/action/manifest-texts.ts';
import type { SkillRow } from '../../shared/skill/skill.ts';
import { useLocale } from '../i18n/i18n.ts';
import { askAction } from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { ManifestIcon } from '../ui/manifest-icon.tsx';
import { Panel } from '../ui/panel.tsx';
import classes from './skill-actions-panel.module.css';

/** What can be done with a skill here: its actions as buttons, where they are not shown, and what its manifest gets wrong. */
export function SkillActionsPanel({ row }: { row: SkillRow }) {
  const { t } = useTranslation('skills');
  const locale = useLocale();
  const manifest = useActions((state) => state.value?.find((other) => other.skill_id === row.id) ?? null);
  if (manifest === null) return null;
  const here = manifest.actions.filter(({ placements }) => placements.includes('skill-detail'));
  const elsewhere = manifest.actions.filter(({ placements }) => !placements.includes('skill-detail'));
  return (
    <Panel title={t('page.actions')}>
      <div className={classes['body']}>
        {here.map((offered) => {
          const action = localizeAction(offered.action, locale);
          return (
            <div key={action.id} className={classes['action']}>
              <Button
                variant="default"
                justify="flex-start"
                leftSection={<ManifestIcon name={action.icon} />}
                onClick={() => askAction({ slug: manifest.slug, actionId: action.id, source: 'skill-detail' })}
              >
                {action.title ?? action.id}
              </Button>
              {action.description !== undefined && <p className={classes['description']}>{action.description}</p>}
            </div>
          );
        })}
        {here.length === 0 && <p className={classes['description']}>{t('page.noActionsHere')}</p>}
        {elsewhere.length > 0 && (
          <ul className={classes['elsewhere']}>
            {elsewhere.map((offered) => {
              const action = localizeAction(offered.action, locale);
              const places = offered.placements.map((place) => t(`placement.${place}`)).join(', ');
              return (
                <li key={action.id}>
                  {action.title ?? action.id} <span>{places === '' ? t('page.nowhere') : places}</span>
                </li>
              );
            })}
          </ul>
        )}
        {manifest.problems.length > 0 && (
          <ul className={classes['problems']} aria-label={t('page.manifest')}>
            {manifest.problems.map((problem) => (
              <li
                key={`${problem.path}:${problem.code}:${JSON.stringify(problem.params)}`}
                data-severity={problem.severity}
              >
                {problem.severity === 'error' ? (
                  <CircleX size={14} aria-hidden />
                ) : (
                  <TriangleAlert size={14} aria-hidden />
                )}
                <div>
                  <span className="visually-hidden">{t(`severity.${problem.severity}`)}: </span>
                  {manifestProblemText(locale, problem)}
                  <Tooltip label={manifest.file}>
                    <span className={classes['place']}>
                      {problem.path}
                      {problem.line !== undefined && ` · ${t('page.line', { line: problem.line })}`}
                    </span>
                  </Tooltip>
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}
