import { problemText } from '../../../shared/chain/chain-texts.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useEditor } from '../state/editor-context.ts';

/** The first error of a step's field, to stand at that field; null when there is none. */
export function useFieldProblem(id: string, field: string): string | null {
  const locale = useLocale();
  const problem = useEditor((state) =>
    state.view.problems.find(
      (other) => other.step_id === id && other.severity === 'error' && other.field?.split('.')[0] === field,
    ),
  );
  return problem === undefined ? null : problemText(locale, problem);
}
