import { ActionIcon, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import {
  Activity,
  Blocks,
  Check,
  Command as CommandIcon,
  Contrast,
  Keyboard,
  Languages,
  ListChecks,
  type LucideIcon,
  Moon,
  PanelLeftClose,
  PanelLeftOpen,
  Settings as SettingsIcon,
  Sun,
  Workflow,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { keyCaps } from '../stores/commands.ts';
import { useJobs } from '../stores/jobs-store.ts';
import { hrefOf, type Route } from '../stores/route.ts';
import { useRuns } from '../stores/runs-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useSkillsStore } from '../stores/skills-store.ts';
import { languages, saveQuietly, themes } from './app-commands.tsx';
import { palette } from './command-palette.tsx';
import classes from './rail.module.css';
import { shortcutSheet } from './shortcut-sheet.tsx';

interface Place {
  readonly room: 'chains' | 'runs' | 'skills' | 'jobs' | 'settings';
  readonly icon: LucideIcon;
  readonly rooms: readonly Route['room'][];
}

const places: readonly Place[] = [
  { room: 'chains', icon: Workflow, rooms: ['chains', 'chain'] },
  { room: 'runs', icon: Activity, rooms: ['runs', 'run'] },
  { room: 'skills', icon: Blocks, rooms: ['skills', 'skill'] },
  { room: 'jobs', icon: ListChecks, rooms: ['jobs'] },
  { room: 'settings', icon: SettingsIcon, rooms: ['settings'] },
];

/** The rooms, and what holds for the whole window: commands, language, theme, keys. */
export function Rail({ route }: { route: Route }) {
  const { t } = useTranslation('common');
  // The canvas and a narrow window want the width; the lists have it to spare. Each remembers what the person chose.
  const narrow = useMediaQuery('(max-width: 56rem)', false, { getInitialValueInEffect: false });
  const shape = route.room === 'chain' ? 'editor' : narrow ? 'narrow' : 'rooms';
  const [folds, setFolds] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: 'studio.rail',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const folded = folds[shape] ?? shape !== 'rooms';
  const toggle = () => setFolds({ ...folds, [shape]: !folded });

  return (
    <nav className={classes['rail']} data-folded={folded || undefined} aria-label={t('rail.label')}>
      <a className={classes['brand']} href={hrefOf({ room: 'chains' })} aria-label={t('product')}>
        <img src="./icon.svg" alt="" width={22} height={22} />
        <span className={classes['brandName']}>{t('product')}</span>
      </a>
      <ul className={classes['places']}>
        {places.map((place) => (
          <li key={place.room}>
            <PlaceLink place={place} active={place.rooms.includes(route.room)} folded={folded} />
          </li>
        ))}
      </ul>
      <div className={classes['foot']}>
        <FootButton icon={CommandIcon} label={t('rail.commands')} keys="mod+K" folded={folded} onClick={palette.open} />
        <LanguageMenu folded={folded} />
        <ThemeMenu folded={folded} />
        <FootButton icon={Keyboard} label={t('rail.keys')} keys="?" folded={folded} onClick={shortcutSheet.open} />
        <FootButton
          icon={folded ? PanelLeftOpen : PanelLeftClose}
          label={folded ? t('rail.unfold') : t('rail.fold')}
          folded={folded}
          onClick={toggle}
        />
      </div>
    </nav>
  );
}

function PlaceLink({ place, active, folded }: { place: Place; active: boolean; folded: boolean }) {
  const { t } = useTranslation('common');
  const mark = useMark(place.room);
  const Icon = place.icon;
  const label = t(`rooms.${place.room}`);
  return (
    <Tooltip label={mark === null ? label : `${label} · ${mark.label}`} position="right" disabled={!folded}>
      <a
        className={classes['place']}
        href={hrefOf({ room: place.room })}
        aria-current={active ? 'page' : undefined}
        aria-label={mark === null ? label : `${label}, ${mark.label}`}
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        <span className={classes['label']}>{label}</span>
        {mark !== null && (
          <span className={classes['mark']} data-tone={mark.tone}>
            {mark.count}
          </span>
        )}
      </a>
    </Tooltip>
  );
}

/** What somebody elsewhere should know of a room: questions that wait, what runs, what is broken. */
function useMark(room: Place['room']): { count: number; label: string; tone: 'wait' | 'run' | 'bad' } | null {
  const { t } = useTranslation('common');
  const questions = useRuns((state) => state.value?.reduce((sum, run) => sum + run.open_questions, 0) ?? 0);
  const running = useRuns((state) => state.value?.filter((run) => run.state === 'running').length ?? 0);
  const jobs = useJobs(
    (state) => state.value?.filter((job) => job.state === 'running' || job.state === 'queued').length ?? 0,
  );
  const broken = useSkillsStore((state) => state.value?.counts.by_state.broken ?? 0);
  if (room === 'runs' && questions > 0) {
    return { count: questions, label: t('rail.questions', { count: questions }), tone: 'wait' };
  }
  if (room === 'runs' && running > 0) {
    return { count: running, label: t('rail.running', { count: running }), tone: 'run' };
  }
  if (room === 'jobs' && jobs > 0) return { count: jobs, label: t('rail.running', { count: jobs }), tone: 'run' };
  if (room === 'skills' && broken > 0) {
    return { count: broken, label: t('rail.broken', { count: broken }), tone: 'bad' };
  }
  return null;
}

function FootButton({
  icon: Icon,
  label,
  keys,
  folded,
  onClick,
}: {
  icon: LucideIcon;
  label: string;
  keys?: string;
  folded: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={keys === undefined ? label : `${label} (${keyCaps(keys).join(' ')})`} position="right">
      {folded ? (
        <ActionIcon size={32} aria-label={label} onClick={onClick}>
          <Icon size={17} strokeWidth={1.75} aria-hidden />
        </ActionIcon>
      ) : (
        <UnstyledButton className={classes['footButton']} aria-label={label} onClick={onClick}>
          <Icon size={17} strokeWidth={1.75} aria-hidden />
        </UnstyledButton>
      )}
    </Tooltip>
  );
}

function LanguageMenu({ folded }: { folded: boolean }) {
  const { t } = useTranslation('common');
  const { language } = useSettings();
  return (
    <Menu position={folded ? 'right-end' : 'top-start'}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t('rail.language')} className={classes['footButton']}>
          <Languages size={17} strokeWidth={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('rail.language')}</Menu.Label>
        {languages.map((value) => (
          <Menu.Item
            key={value}
            lang={value === 'system' ? undefined : value}
            leftSection={<Check size={14} visibility={value === language ? 'visible' : 'hidden'} aria-hidden />}
            aria-current={value === language}
            onClick={() => saveQuietly({ language: value })}
          >
            {t(`language.${value}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ThemeMenu({ folded }: { folded: boolean }) {
  const { t } = useTranslation('common');
  const { theme } = useSettings();
  const icons = { system: Contrast, light: Sun, dark: Moon };
  const Icon = icons[theme];
  return (
    <Menu position={folded ? 'right-end' : 'top-start'}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t('rail.theme')} className={classes['footButton']}>
          <Icon size={17} strokeWidth={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('rail.theme')}</Menu.Label>
        {themes.map((value) => (
          <Menu.Item
            key={value}
            leftSection={<Check size={14} visibility={value === theme ? 'visible' : 'hidden'} aria-hidden />}
            aria-current={value === theme}
            onClick={() => saveQuietly({ theme: value })}
          >
            {t(`theme.${value}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
