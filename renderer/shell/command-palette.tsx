import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allCommands, type Command, keyCaps } from '../stores/commands.ts';
import { Keys } from '../ui/keys.tsx';
import classes from './command-palette.module.css';

const [store, actions] = createSpotlight();

/** What stands first, by the start of a command's id; the rest of the room comes before all that is everywhere. */
const later = ['go.', 'open.', 'action.', 'theme.', 'language.', 'setting.'];

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
      scrollAreaProps={{ scrollbars: 'y', viewportProps: { tabIndex: 0, 'aria-label': t('palette.results') } }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      transitionProps={{ duration: 120 }}
      attributes={{ content: { 'aria-label': t('rail.commands') } }}
      highlightQuery
      limit={60}
      nothingFound={t('palette.nothing')}
      searchProps={{
        leftSection: <Search size={17} aria-hidden />,
        placeholder: t('palette.placeholder'),
        'aria-label': t('palette.placeholder'),
      }}
      onSpotlightOpen={() => setCommands(inOrder(allCommands()))}
      classNames={{
        action: classes['action'] ?? '',
        actionBody: classes['body'] ?? '',
        actionLabel: classes['label'] ?? '',
        actionDescription: classes['description'] ?? '',
        actionsGroup: classes['group'] ?? '',
      }}
    />
  );
}

/** What can be done now: questions that wait first, then what belongs to the room. */
function inOrder(commands: readonly Command[]): readonly Command[] {
  const weight = ({ id }: Command) =>
    id.startsWith('question.') ? -1 : later.findIndex((start) => id.startsWith(start)) + 1;
  return commands
    .filter((command) => command.enabled && command.id !== 'palette')
    .sort((a, b) => weight(a) - weight(b));
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
