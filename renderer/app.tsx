import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ChainsPage } from './chains/chains-page.tsx';
import { changeLocale, systemLocale } from './i18n/i18n.ts';
import { JobsPage } from './jobs/jobs-page.tsx';
import { RunPage } from './runs/run-page.tsx';
import { RunsPage } from './runs/runs-page.tsx';
import { SettingsPage } from './settings/settings-page.tsx';
import { runAppCommand, useShellCommands } from './shell/app-commands.tsx';
import { CommandPalette } from './shell/command-palette.tsx';
import { ConnectionBanner } from './shell/connection-banner.tsx';
import classes from './shell/frame.module.css';
import { Rail } from './shell/rail.tsx';
import { RoomBoundary } from './shell/room-boundary.tsx';
import { Toasts } from './shell/toasts.tsx';
import { useThemeSetting } from './shell/use-theme-setting.ts';
import { SkillPage } from './skills/skill-page.tsx';
import { SkillsPage } from './skills/skills-page.tsx';
import { useCommandKeys } from './stores/commands.ts';
import { startLive } from './stores/live.ts';
import { hrefOf, type Route, useRoute } from './stores/route.ts';
import { useSettings } from './stores/settings-store.ts';
import { cssVariables, theme } from './styles/theme.ts';
import { ActionToolbar } from './toolbar/action-toolbar.tsx';

// The canvas brings its own libraries; the lists are on the screen before them.
const ChainEditor = lazy(() => import('./editor/chain-editor.tsx').then((module) => ({ default: module.ChainEditor })));

const overlays = 'overlays';

/** The whole window. */
export function App() {
  useEffect(() => startLive(), []);
  const { theme: wanted } = useSettings();
  const { t } = useTranslation('common');
  const closeLabel = t('close');
  const labelled = useMemo(() => withCloseLabel(closeLabel), [closeLabel]);
  return (
    <MantineProvider
      theme={labelled}
      cssVariablesResolver={cssVariables}
      defaultColorScheme={wanted === 'system' ? 'auto' : wanted}
    >
      <Frame />
    </MantineProvider>
  );
}

/**
 * Buttons that are only a cross have a name, in the language on the screen. What hangs over the page belongs to its main
 * part, also for somebody who goes from landmark to landmark.
 */
function withCloseLabel(label: string) {
  const closeButtonProps = { 'aria-label': label };
  const portalProps = { target: `#${overlays}` };
  return mergeThemeOverrides(theme, {
    components: {
      Notification: { defaultProps: { closeButtonProps } },
      Drawer: { defaultProps: { closeButtonProps } },
      Popover: { defaultProps: { portalProps } },
      Tooltip: { defaultProps: { portalProps } },
    },
  });
}

function Frame() {
  const route = useRoute();
  const { language } = useSettings();
  useEffect(() => changeLocale(language === 'system' ? systemLocale() : language), [language]);
  useThemeSetting();
  const dialogs = useShellCommands();
  useCommandKeys();
  return (
    <div className={classes['frame']}>
      <Rail route={route} />
      <main className={classes['main']} id="main">
        <ConnectionBanner />
        <div className={classes['room']}>
          <RoomBoundary place={hrefOf(route)}>
            <Suspense fallback={null}>
              <Room route={route} />
            </Suspense>
          </RoomBoundary>
        </div>
        <div id={overlays} />
      </main>
      <CommandPalette />
      <Toasts route={route} />
      {dialogs}
    </div>
  );
}

function Room({ route }: { route: Route }) {
  const toolbar = <ActionToolbar room={route.room} onAppCommand={runAppCommand} />;
  switch (route.room) {
    case 'chains':
      return <ChainsPage toolbar={toolbar} />;
    case 'chain':
      return <ChainEditor key={route.name} name={route.name} toolbar={toolbar} />;
    case 'runs':
      return <RunsPage toolbar={toolbar} />;
    case 'run':
      return <RunPage key={route.id} runId={route.id} toolbar={toolbar} />;
    case 'skills':
      return <SkillsPage toolbar={toolbar} />;
    case 'skill':
      return <SkillPage key={route.id} skillId={route.id} toolbar={toolbar} />;
    case 'jobs':
      return <JobsPage toolbar={toolbar} openId={route.id} />;
    case 'settings':
      return <SettingsPage toolbar={toolbar} focusKey={route.key} />;
  }
}
