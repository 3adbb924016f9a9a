import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Maximize, Plus, Workflow, ZoomIn, ZoomOut } from 'lucide-react';
import { use } from 'react';
import { useTranslation } from 'react-i18next';
import { keyCaps } from '../../stores/commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { LocalCommandsContext } from './canvas-keys.ts';
import classes from './canvas-tools.module.css';

const tools = [
  { id: 'editor.addStep', key: 'addStep', icon: Plus },
  { id: 'editor.tidy', key: 'tidy', icon: Workflow },
  { id: 'editor.zoomOut', key: 'zoomOut', icon: ZoomOut },
  { id: 'editor.zoomIn', key: 'zoomIn', icon: ZoomIn },
  { id: 'editor.fit', key: 'fit', icon: Maximize },
] as const;

/** Buttons over the canvas, and what to do while there is no step yet. */
export function CanvasTools() {
  const { t } = useTranslation('editor');
  const commands = use(LocalCommandsContext);
  const store = useEditorStore();
  const empty = useEditor((state) => state.view.ids.length === 0);
  const run = (id: string) => {
    const command = commands().find((candidate) => candidate.id === id);
    if (command?.enabled === true) command.run();
  };
  return (
    <>
      <div className={classes['tools']} role="toolbar" aria-label={t('canvas.tools')}>
        {tools.map(({ id, key, icon: Icon }) => {
          const keys = commands().find((candidate) => candidate.id === id)?.keys?.[0];
          const label = t(`command.${key}`);
          return (
            <Tooltip
              key={id}
              position="top"
              label={keys === undefined ? label : `${label} (${keyCaps(keys).join(' ')})`}
            >
              <ActionIcon aria-label={label} onClick={() => run(id)}>
                <Icon size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          );
        })}
      </div>
      {empty && (
        <div className={classes['empty']}>
          <h2>{t('canvas.emptyTitle')}</h2>
          <p>{t('canvas.emptyText')}</p>
          <Button
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => store.getState().setDialog({ kind: 'add_step', place: {} })}
          >
            {t('command.addStep')}
          </Button>
        </div>
      )}
    </>
  );
}
