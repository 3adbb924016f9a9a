import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allCommands, type Command, keyCaps } from '../stores/commands.ts';
import { Keys } from '../ui/keys.tsx';
import classes from './command-palette.module.css';

const [store, actions] = createSpotlight();

/** Opens and closes the palette from anywhere. */
export const palette = { open: actions.open };

/** Every command on offer where the person is, found by typing. */
export function CommandPalette() {
  const { t } = useTranslation('common');
  const [commands, setCommands] = useState<readonly Command[]>([]);
  return (
    <Spotlight
      store={store}
      actions={groupsOf(commands)}
      shortcut={null}
      scrollable
      maxHeight={420}
      highlightQuery
      limit={60}
      nothingFound={t('palette.nothing')}
      searchProps={{
        leftSection: <Search size={17} aria-hidden />,
        placeholder: t('palette.placeholder'),
        'aria-label': t('palette.placeholder'),
      }}
      onSpotlightOpen={() => setCommands(allCommands().filter((command) => command.enabled))}
      classNames={{ action: classes['action'] ?? '', actionsGroup: classes['group'] ?? '' }}
    />
  );
}

function groupsOf(commands: readonly Command[]): SpotlightActionGroupData[] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].map(([group, members]) => ({
    group,
    actions: members.map((command) => ({
      id: command.id,
      label: command.title,
      ...(command.description === undefined ? {} : { description: command.description }),
      ...(command.keys?.[0] === undefined ? {} : { rightSection: <Keys caps={keyCaps(command.keys[0])} /> }),
      onClick: command.run,
    })),
  }));
}
