import { useTranslation } from 'react-i18next';
import { useEditor } from './state/editor-context.ts';

/** Says aloud what happened that only the eye would see; and holds the canvas in words for who can not see it. */
export function LiveRegion() {
  const { t } = useTranslation('editor');
  const said = useEditor((state) => state.announcement);
  const steps = useEditor((state) => state.view.ids.length);
  const links = useEditor((state) => state.view.links.length);
  const milestones = useEditor((state) => {
    let count = 0;
    for (const card of state.view.cards.values()) if (card.milestone.is_milestone) count += 1;
    return count;
  });
  const problems = useEditor((state) => state.view.problems.length);
  return (
    <>
      <div className="visually-hidden" role="status" aria-live="polite">
        {/* Another element each time, so that the same sentence is said again. */}
        {said !== null && <span key={said.seq}>{t(said.key, said.params)}</span>}
      </div>
      <div className="visually-hidden" id="chain-summary">
        {steps === 0
          ? t('canvas.emptySummary')
          : t('canvas.summary', {
              steps: t('count.steps', { count: steps }),
              links: t('count.links', { count: links }),
              milestones: t('count.milestones', { count: milestones }),
              problems: t('count.problems', { count: problems }),
            })}
      </div>
    </>
  );
}
