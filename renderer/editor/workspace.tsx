import { ActionIcon, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { PanelLeftOpen, PanelRightOpen } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useActions } from '../stores/actions-store.ts';
import { useCommands } from '../stores/commands.ts';
import { onChainsChanged } from '../stores/live.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useSkillsStore } from '../stores/skills-store.ts';
import { LocalCommandsContext } from './canvas/canvas-keys.ts';
import { type CanvasPort, CanvasPortContext } from './canvas/canvas-port.ts';
import { CanvasTools } from './canvas/canvas-tools.tsx';
import { ChainCanvas } from './canvas/chain-canvas.tsx';
import { EditorDialogs } from './dialogs/editor-dialogs.tsx';
import { focusField, focusNextRegion } from './focus-regions.ts';
import { Inspector } from './inspector/inspector.tsx';
import { LiveRegion } from './live-region.tsx';
import { EditorNotices } from './notices.tsx';
import { OutlineView } from './outline/outline-view.tsx';
import { SkillPalette } from './palette/skill-palette.tsx';
import { BottomPanel } from './panel/bottom-panel.tsx';
import { useChainRun } from './run/use-chain-run.ts';
import { Splitter } from './splitter.tsx';
import { editorCommands } from './state/editor-commands.ts';
import { useEditor } from './state/editor-context.ts';
import type { OpenChain } from './state/open-chains.ts';
import { JsonView } from './text/json-view.tsx';
import { TopRow } from './top-row.tsx';
import { useClipboard } from './use-clipboard.ts';
import classes from './workspace.module.css';

/** A small window starts with small sides, so that the canvas has its half. */
const narrow = window.innerWidth < 1200;
const palette = { least: 180, most: 420, start: narrow ? 196 : 236 };
const inspector = { least: 260, most: 560, start: narrow ? 276 : 320 };
const panel = { least: 120, most: 640, start: 240 };

/** The parts of the editor around one open chain. */
export function Workspace({ opened, toolbar }: { opened: OpenChain; toolbar: ReactNode }) {
  const { t } = useTranslation('editor');
  const { store, saver } = opened;
  const mode = useEditor((state) => state.mode);
  const open = useEditor((state) => state.panel !== null);
  const [paletteShown, setPaletteShown] = useKept('palette.shown', true);
  const [inspectorShown, setInspectorShown] = useKept('inspector.shown', true);
  const [paletteWidth, setPaletteWidth] = useKept('palette.width', palette.start);
  const [inspectorWidth, setInspectorWidth] = useKept('inspector.width', inspector.start);
  const [panelHeight, setPanelHeight] = useKept('panel.height', panel.start);
  const run = useChainRun(opened);
  const root = useRef<HTMLDivElement>(null);
  const port = useRef<CanvasPort | null>(null);
  const registerPort = useCallback((next: CanvasPort | null) => {
    port.current = next;
  }, []);
  useFacts(opened);
  useFileChanges(opened);
  useClipboard(store, root);

  const makeCommands = () =>
    editorCommands(
      store,
      {
        canvas: () => port.current,
        save: () => void saver.save(),
        run: () => void run.start(),
        stop: () => void run.stop(),
        running: () => run.active || run.starting,
        focusField: (field) => {
          setInspectorShown(true);
          focusField(root.current, field);
        },
        focusPalette: () => {
          setPaletteShown(true);
          requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[data-palette-search]')?.focus());
        },
        focusRegion: (step) => focusNextRegion(root.current, step),
      },
      t,
    );
  useCommands(makeCommands);
  const latest = useRef(makeCommands);
  useEffect(() => {
    latest.current = makeCommands;
  });
  const localCommands = useCallback(() => latest.current(), []);
  const onViewport = useCallback((moved: { x: number; y: number; zoom: number }) => saver.saveViewport(moved), [saver]);
  const foldPalette = useCallback(() => setPaletteShown(false), [setPaletteShown]);
  const foldInspector = useCallback(() => setInspectorShown(false), [setInspectorShown]);
  // Where the person left it, read once: afterwards the canvas itself is the truth.
  const viewport = useMemo(() => saver.viewport(), [saver]);

  return (
    <LocalCommandsContext value={localCommands}>
      <CanvasPortContext value={registerPort}>
        <div ref={root} className={classes['workspace']}>
          <TopRow opened={opened} run={run} toolbar={toolbar} />
          <div className={classes['main']}>
            {paletteShown ? (
              <>
                <div className={classes['side']} style={{ width: paletteWidth }} data-editor-region="palette">
                  <SkillPalette onFold={foldPalette} />
                </div>
                <Splitter
                  label={t('split.palette')}
                  edge="left"
                  size={paletteWidth}
                  range={palette}
                  onSize={setPaletteWidth}
                />
              </>
            ) : (
              <Folded side="left" label={t('palette.unfold')} onClick={() => setPaletteShown(true)} />
            )}
            <div className={classes['middle']}>
              <div className={classes['stage']} data-editor-region="canvas">
                {mode === 'canvas' && (
                  <ChainCanvas viewport={viewport} onViewport={onViewport}>
                    <CanvasTools />
                  </ChainCanvas>
                )}
                {mode === 'outline' && <OutlineView />}
                {mode === 'json' && <JsonView />}
                <EditorNotices opened={opened} run={run} />
              </div>
              {open && (
                <Splitter
                  label={t('split.panel')}
                  edge="bottom"
                  size={panelHeight}
                  range={panel}
                  onSize={setPanelHeight}
                />
              )}
              <div className={classes['bottom']} style={open ? { height: panelHeight } : {}} data-editor-region="panel">
                <BottomPanel />
              </div>
            </div>
            {inspectorShown ? (
              <>
                <Splitter
                  label={t('split.inspector')}
                  edge="right"
                  size={inspectorWidth}
                  range={inspector}
                  onSize={setInspectorWidth}
                />
                <div className={classes['side']} style={{ width: inspectorWidth }} data-editor-region="inspector">
                  <Inspector saver={saver} onFold={foldInspector} />
                </div>
              </>
            ) : (
              <Folded side="right" label={t('inspector.unfold')} onClick={() => setInspectorShown(true)} />
            )}
          </div>
          <LiveRegion />
          <EditorDialogs opened={opened} commands={localCommands} />
        </div>
      </CanvasPortContext>
    </LocalCommandsContext>
  );
}

function Folded({ side, label, onClick }: { side: 'left' | 'right'; label: string; onClick: () => void }) {
  const Icon = side === 'left' ? PanelLeftOpen : PanelRightOpen;
  return (
    <div className={classes['folded']} data-side={side}>
      <Tooltip label={label}>
        <ActionIcon aria-label={label} onClick={onClick}>
          <Icon size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** A choice about the look of the editor, kept in this browser. */
function useKept<Value>(name: string, start: Value) {
  const [value, set] = useLocalStorage<Value>({
    key: `editor.${name}`,
    defaultValue: start,
    getInitialValueInEffect: false,
  });
  return [value, set] as const;
}

/** What the editor knows about skills, actions and settings follows the stores of the window. */
function useFacts({ store, saver }: OpenChain): void {
  const scan = useSkillsStore((state) => state.value);
  const actions = useActions((state) => state.value);
  const { default_max_retries, default_agent, autosave } = useSettings();
  useEffect(() => {
    store.getState().setFacts({
      scan,
      actions,
      defaultMaxRetries: default_max_retries,
      defaultAgent: default_agent,
      agentNames: [],
    });
  }, [store, scan, actions, default_max_retries, default_agent]);
  useEffect(() => saver.setAutosave(autosave), [saver, autosave]);
}

/** The file may change under the editor, and the window may close over what is not written yet. */
function useFileChanges({ store, saver }: OpenChain): void {
  useEffect(() => {
    const stop = onChainsChanged((names) => {
      if (names.length === 0 || names.includes(store.getState().file.name)) void saver.check();
    });
    const flush = () => saver.flush();
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      stop();
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
    };
  }, [store, saver]);
}
