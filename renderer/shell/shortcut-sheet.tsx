import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import { allCommands, type Command, keyCaps } from '../stores/commands.ts';
import { Keys } from '../ui/keys.tsx';
import classes from './shortcut-sheet.module.css';

const useSheet = create<{ commands: readonly Command[] | null }>(() => ({ commands: null }));

/** Opens the sheet from anywhere. */
export const shortcutSheet = {
  open: () => useSheet.setState({ commands: allCommands().filter((command) => (command.keys?.length ?? 0) > 0) }),
};

/** All keys that mean something where the person is. */
export function ShortcutSheet() {
  const { t } = useTranslation('common');
  const commands = useSheet((state) => state.commands);
  const groups = [...new Set(commands?.map((command) => command.group))];
  return (
    <Modal
      opened={commands !== null}
      onClose={() => useSheet.setState({ commands: null })}
      title={t('shortcuts.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <div className={classes['groups']}>
        {groups.map((group) => (
          <section key={group} className={classes['group']}>
            <h3 className={classes['heading']}>{group}</h3>
            <dl className={classes['list']}>
              {commands
                ?.filter((command) => command.group === group)
                .map((command) => (
                  <div key={command.id} className={classes['row']}>
                    <dt>{command.title}</dt>
                    <dd>
                      {command.keys?.map((keys) => (
                        <Keys key={keys} caps={keyCaps(keys)} />
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
