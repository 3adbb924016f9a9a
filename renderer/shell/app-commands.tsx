import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { type Settings, settingKeys } from '../../shared/settings/settings.ts';
import { readError } from '../api/client.ts';
import { ChainDialogs, chainDialogs } from '../chains/chain-dialogs.tsx';
import { installSamples } from '../chains/install-samples.ts';
import { useChains } from '../stores/chains-store.ts';
import { allCommands, type Command, useCommands } from '../stores/commands.ts';
import { hrefOf, navigate, type Route } from '../stores/route.ts';
import { useRuns } from '../stores/runs-store.ts';
import { saveSettings, useSettings } from '../stores/settings-store.ts';
import { rescanSkills } from '../stores/skills-store.ts';
import { tell, tellFailure } from '../ui/toast.ts';
import { palette } from './command-palette.tsx';
import { ShortcutSheet, shortcutSheet } from './shortcut-sheet.tsx';

export const languages = ['system', 'en', 'zh-CN'] as const;
export const themes = ['system', 'light', 'dark'] as const;

/** Commands that need a chain on the canvas; elsewhere the person is asked which. */
const chainCommands = ['chain.run', 'chain.validate', 'chain.plan'];
const offerPatienceMs = 10_000;

/** Carries out an action of the application's own manifest: a command of this window by its id. */
export function runAppCommand(command: string, _args: readonly unknown[] = []): void {
  const found = allCommands().find((candidate) => candidate.id === command);
  if (found !== undefined) {
    if (found.enabled) found.run();
    else tell({ message: i18next.t('common:command.notNow', { title: found.title }) });
    return;
  }
  if (chainCommands.includes(command)) {
    chainDialogs.pick((name) => {
      navigate({ room: 'chain', name });
      void runWhenOffered(command);
    });
    return;
  }
  tell({ message: i18next.t('common:command.unknown', { command }) });
}

/** Offers the commands of the window itself; returns the dialogs they open. */
export function useShellCommands() {
  const { t } = useTranslation('common');
  const settings = useSettings();
  useCommands(() => {
    const go = (route: Route, keys?: string): Command => ({
      id: `go.${route.room}`,
      title: t('command.go', { room: t(`rooms.${route.room}`) }),
      group: t('command.group.go'),
      ...(keys === undefined ? {} : { keys: [keys] }),
      enabled: true,
      run: () => navigate(route),
    });
    const general = t('command.group.general');
    return [
      {
        id: 'palette',
        title: t('rail.commands'),
        group: general,
        keys: ['mod+K', 'mod+Shift+P'],
        enabled: true,
        run: palette.open,
      },
      { id: 'shortcuts', title: t('rail.keys'), group: general, keys: ['?'], enabled: true, run: shortcutSheet.open },
      { id: 'chain.new', title: t('command.newChain'), group: general, enabled: true, run: chainDialogs.create },
      { id: 'chain.import', title: t('command.importChain'), group: general, enabled: true, run: chainDialogs.import },
      {
        id: 'samples.install',
        title: t('command.samples'),
        group: general,
        enabled: true,
        run: () => quietly(installSamples()),
      },
      { id: 'skills.rescan', title: t('command.rescan'), group: general, enabled: true, run: rescanAloud },
      { ...go({ room: 'settings' }, 'mod+,'), id: 'view.settings' },
      go({ room: 'chains' }),
      go({ room: 'runs' }),
      go({ room: 'skills' }),
      go({ room: 'jobs' }),
      ...chainsAndRuns(t('command.group.chains'), t('command.group.questions')),
      ...themes.map((value) => ({
        id: `theme.${value}`,
        title: t('command.theme', { theme: t(`theme.${value}`) }),
        group: t('command.group.look'),
        enabled: settings.theme !== value,
        run: () => saveQuietly({ theme: value }),
      })),
      ...languages.map((value) => ({
        id: `language.${value}`,
        title: t('command.language', { language: t(`language.${value}`) }),
        group: t('command.group.look'),
        enabled: settings.language !== value,
        run: () => saveQuietly({ language: value }),
      })),
      ...settingKeys.map((key) => ({
        id: `setting.${key}`,
        title: t('command.setting', { setting: i18next.t(`settings:field.${key}.title`) }),
        group: t('command.group.settings'),
        enabled: true,
        run: () => navigate({ room: 'settings', key }),
      })),
    ];
  });
  return (
    <>
      <ChainDialogs />
      <ShortcutSheet />
    </>
  );
}

/** Saves settings from a menu; a failure becomes a message, since there is no field to say it at. */
export function saveQuietly(patch: Partial<Settings>): void {
  quietly(saveSettings(patch));
}

function chainsAndRuns(chainGroup: string, questionGroup: string): Command[] {
  const chains = useChains.getState().value ?? [];
  const waiting = (useRuns.getState().value ?? []).filter((run) => run.open_questions > 0);
  return [
    ...waiting.map((run) => ({
      id: `question.${run.run_id}`,
      title: i18next.t('common:command.answer', { chain: run.chain_name }),
      group: questionGroup,
      enabled: true,
      run: () => navigate({ room: 'run', id: run.run_id }),
    })),
    ...chains
      .filter((chain) => chain.broken === null)
      .map((chain) => ({
        id: `open.${chain.name}`,
        title: chain.name,
        ...(chain.description === '' ? {} : { description: chain.description }),
        group: chainGroup,
        enabled: window.location.hash !== hrefOf({ room: 'chain', name: chain.name }),
        run: () => navigate({ room: 'chain', name: chain.name }),
      })),
  ];
}

/** The canvas offers its commands when it has read the chain; until then the wish waits. */
async function runWhenOffered(id: string): Promise<void> {
  const until = Date.now() + offerPatienceMs;
  while (Date.now() < until) {
    const command = allCommands().find((candidate) => candidate.id === id && candidate.enabled);
    if (command !== undefined) {
      command.run();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function rescanAloud(): void {
  quietly(
    rescanSkills().then((scan) => tell({ message: i18next.t('skills:rescanned', { count: scan.counts.found }) })),
  );
}

function quietly(work: Promise<unknown>): void {
  work.catch((thrown) => tellFailure(readError(thrown)));
}
