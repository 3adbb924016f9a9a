import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { unresolvedIndex } from '../../../shared/chain/chain.ts';
import { refusalText } from '../canvas/refusal-text.ts';
import { connectCheck } from '../state/connect-check.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { stepOf } from '../state/editor-store.ts';
import classes from './inspector.module.css';
import { useFieldProblem } from './use-field-problem.ts';

const none: readonly string[] = [];

/** What a step waits for: a list to take from, and one to add to, where what would close a loop says so. */
export function DependenciesField({ id }: { id: string }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const dependsOn = useEditor((state) => stepOf(state, id)?.depends_on ?? none);
  const cards = useEditor((state) => state.view.cards);
  const error = useFieldProblem(id, 'depends_on');
  return (
    <div data-field="depends_on">
      <span className={classes['label']}>{t('field.depends_on')}</span>
      {dependsOn.length === 0 && <p className={classes['reason']}>{t('inspector.root')}</p>}
      <ul className={classes['links']} aria-label={t('field.depends_on')}>
        {dependsOn.map((from) => {
          const card = cards.get(from);
          const name = card?.name ?? t('inspector.unknownStep', { index: unresolvedIndex(from) ?? from });
          return (
            <li key={from} data-unknown={card === undefined || undefined}>
              <button
                type="button"
                className={classes['linkName']}
                disabled={card === undefined}
                onClick={() => store.getState().select([from], { reveal: true })}
              >
                {card !== undefined && <span className={classes['linkNumber']}>{card.number}</span>}
                {name}
              </button>
              <Tooltip label={t('link.remove')}>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  color="gray"
                  aria-label={t('link.removeFrom', { name })}
                  onClick={() => store.getState().edit({ kind: 'disconnect', from, to: id })}
                >
                  <X size={13} aria-hidden />
                </ActionIcon>
              </Tooltip>
            </li>
          );
        })}
      </ul>
      <AddDependency key={dependsOn.join(' ')} id={id} dependsOn={dependsOn} error={error} />
    </div>
  );
}

function AddDependency({ id, dependsOn, error }: { id: string; dependsOn: readonly string[]; error: string | null }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const [open, setOpen] = useState(false);
  // Reckoned while the list is open only: what each step would close is much to find out for every letter typed.
  const chain = useEditor((state) => (open ? state.doc.chain : null));
  const choices = useMemo(() => {
    if (chain === null) return [];
    const { view } = store.getState();
    const blocked = connectCheck(chain, id, 'in');
    return chain.steps
      .filter((step) => step.id !== id && !dependsOn.includes(step.id))
      .map((step) => {
        const refusal = blocked.get(step.id);
        const name = `${view.cards.get(step.id)?.number ?? ''} ${step.step_name}`;
        return {
          value: step.id,
          label: refusal?.kind === 'cycle' ? `${name} · ${refusalText(refusal, { view }, t)}` : name,
          disabled: refusal !== undefined,
        };
      });
  }, [chain, store, id, dependsOn, t]);
  return (
    <Select
      aria-label={t('inspector.addDependency')}
      placeholder={t('inspector.addDependency')}
      data={choices}
      searchable
      value={null}
      error={error}
      nothingFoundMessage={t('inspector.noSteps')}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onChange={(from) => {
        if (from !== null) store.getState().edit({ kind: 'connect', from, to: id });
      }}
    />
  );
}
