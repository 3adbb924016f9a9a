import { Menu } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { type Command, keyCaps } from '../../stores/commands.ts';
import { Keys } from '../../ui/keys.tsx';
import { paste } from '../state/editor-commands.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import type { MenuTarget } from '../state/editor-store.ts';
import classes from './context-menu.module.css';

const ofStep = [
  ['editor.rename', 'editor.milestone'],
  ['editor.addStep', 'editor.connect', 'editor.connectIn'],
  ['editor.duplicate', 'editor.tidy'],
  ['editor.delete', 'editor.deleteApart'],
];
const ofCanvas = [
  ['editor.undo', 'editor.redo'],
  ['editor.selectAll', 'editor.tidy', 'editor.fit'],
];

/** The commands for what was pointed at, at the place of the pointer. */
export function ContextMenu({
  x,
  y,
  on,
  commands,
  onClose,
}: {
  x: number;
  y: number;
  on: MenuTarget;
  commands: () => readonly Command[];
  onClose: () => void;
}) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const link = useEditor((state) =>
    on.kind === 'link' ? state.view.links.find((other) => other.id === on.id) : undefined,
  );
  const all = commands();
  const groups = on.kind === 'step' ? ofStep : on.kind === 'canvas' ? ofCanvas : [];
  const then = (work: () => void) => () => {
    onClose();
    work();
  };
  return (
    <Menu opened onClose={onClose} position="bottom-start" offset={2} trapFocus returnFocus>
      <Menu.Target>
        <span className={classes['anchor']} style={{ left: x, top: y }} />
      </Menu.Target>
      <Menu.Dropdown>
        {on.kind === 'canvas' && (
          <>
            <Menu.Item onClick={then(() => store.getState().setDialog({ kind: 'add_step', place: { at: on.at } }))}>
              {t('command.addStep')}
            </Menu.Item>
            <Menu.Item onClick={then(() => void pasteAt(store, on.at))}>{t('menu.paste')}</Menu.Item>
            <Menu.Divider />
          </>
        )}
        {link !== undefined && (
          <>
            <Menu.Item
              onClick={then(() =>
                store.getState().setDialog({ kind: 'add_step', place: { insert: { from: link.from, to: link.to } } }),
              )}
            >
              {t('link.insert')}
            </Menu.Item>
            <Menu.Item
              onClick={then(() => store.getState().edit({ kind: 'disconnect', from: link.from, to: link.to }))}
            >
              {t('link.remove')}
            </Menu.Item>
          </>
        )}
        {groups.map((ids, index) => (
          <Fragment key={ids.join(' ')}>
            {index > 0 && <Menu.Divider />}
            {ids.map((id) => {
              const command = all.find((candidate) => candidate.id === id);
              if (command === undefined) return null;
              const keys = command.keys?.[0];
              return (
                <Menu.Item
                  key={id}
                  disabled={!command.enabled}
                  rightSection={keys === undefined ? null : <Keys caps={keyCaps(keys)} />}
                  onClick={then(command.run)}
                >
                  {command.title}
                </Menu.Item>
              );
            })}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

async function pasteAt(store: ReturnType<typeof useEditorStore>, at: { x: number; y: number }): Promise<void> {
  // Without the right to read the clipboard nothing is pasted; the keys always work.
  const text = await navigator.clipboard?.readText().catch(() => '');
  paste(store, text ?? '', at);
}
