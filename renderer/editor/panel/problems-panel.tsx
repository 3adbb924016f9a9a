import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../../shared/chain/chain-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './panel.module.css';

const icons = { error: CircleAlert, warning: TriangleAlert, info: Info } as const;
const order = { error: 0, warning: 1, info: 2 } as const;

/** What the check found, the errors first; a click leads to the step. */
export function ProblemsPanel() {
  const { t } = useTranslation('editor');
  const locale = useLocale();
  const store = useEditorStore();
  const problems = useEditor((state) => state.view.problems);
  if (problems.length === 0) {
    return (
      <p className={classes['fine']}>
        <CircleCheck size={16} aria-hidden /> {t('problems.none')}
      </p>
    );
  }
  const sorted = problems.toSorted((a, b) => order[a.severity] - order[b.severity]);
  return (
    <ul className={classes['problems']}>
      {sorted.map((problem) => {
        const Icon = icons[problem.severity];
        return (
          <li key={`${problem.code} ${problem.step_id ?? ''} ${problem.field ?? ''} ${JSON.stringify(problem.params)}`}>
            <button
              type="button"
              disabled={problem.step_id === undefined}
              onClick={() =>
                problem.step_id !== undefined && store.getState().select([problem.step_id], { reveal: true })
              }
            >
              <Icon size={15} aria-hidden data-severity={problem.severity} />
              <span className="visually-hidden">{t(`problems.${problem.severity}`)}: </span>
              <span>{problemText(locale, problem)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
