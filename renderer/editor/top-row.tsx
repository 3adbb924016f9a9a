import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core';
import {
  Braces,
  ChevronLeft,
  CircleCheck,
  CircleDot,
  LoaderCircle,
  Redo2,
  Rows3,
  Save,
  TriangleAlert,
  Undo2,
  Waypoints,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { redoLabel, undoLabel } from '../../shared/history/history.ts';
import { keyCaps } from '../stores/commands.ts';
import { hrefOf } from '../stores/route.ts';
import { RunBar } from './run/run-bar.tsx';
import type { ChainRun } from './run/use-chain-run.ts';
import { labelText } from './state/editor-commands.ts';
import { useEditor, useEditorStore } from './state/editor-context.ts';
import { type EditorMode, isDirty } from './state/editor-store.ts';
import type { OpenChain } from './state/open-chains.ts';
import type { Saver } from './state/saver.ts';
import classes from './top-row.module.css';

const modes = [
  { value: 'canvas', icon: Waypoints },
  { value: 'outline', icon: Rows3 },
  { value: 'json', icon: Braces },
] as const;

/** Name and save state, undo and redo, the three views, the skills' own buttons, Run and Stop. */
export function TopRow({ opened, run, toolbar }: { opened: OpenChain; run: ChainRun; toolbar: ReactNode }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const name = useEditor((state) => state.file.name);
  const mode = useEditor((state) => state.mode);
  return (
    <header className={classes['row']} data-editor-region="top">
      <Tooltip label={t('top.back')}>
        <ActionIcon component="a" href={hrefOf({ room: 'chains' })} aria-label={t('top.back')}>
          <ChevronLeft size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <div className={classes['naming']}>
        <h1 className={classes['name']} title={name}>
          {name}
        </h1>
        <SaveState saver={opened.saver} />
      </div>
      <UndoRedo />
      <SegmentedControl
        classNames={{ root: classes['modes'] ?? '', label: classes['modeLabel'] ?? '' }}
        aria-label={t('top.view')}
        value={mode}
        onChange={(value) => store.getState().setMode(value as EditorMode)}
        data={modes.map(({ value, icon: Icon }) => ({
          value,
          label: (
            <span className={classes['mode']} title={t(`command.${value}`)}>
              <Icon size={14} aria-hidden />
              <span className={classes['modeName']}>{t(`mode.${value}`)}</span>
            </span>
          ),
        }))}
      />
      <div className={classes['toolbar']}>{toolbar}</div>
      <div className={classes['run']}>
        <RunBar run={run} />
      </div>
    </header>
  );
}

function UndoRedo() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const back = useEditor((state) => undoLabel(state.history));
  const forth = useEditor((state) => redoLabel(state.history));
  const undoTitle = back === null ? t('command.undo') : t('command.undoWhat', { what: labelText(back, t) });
  const redoTitle = forth === null ? t('command.redo') : t('command.redoWhat', { what: labelText(forth, t) });
  return (
    <div className={classes['undo']}>
      <Tooltip label={`${undoTitle} (${keyCaps('mod+Z').join(' ')})`}>
        <ActionIcon aria-label={undoTitle} {...offWhen(back === null)} onClick={() => store.getState().undo()}>
          <Undo2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`${redoTitle} (${keyCaps('mod+Shift+Z').join(' ')})`}>
        <ActionIcon aria-label={redoTitle} {...offWhen(forth === null)} onClick={() => store.getState().redo()}>
          <Redo2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Looks and says that it does nothing, and keeps the focus: the next edit makes it useful again. */
function offWhen(off: boolean) {
  return off ? { 'data-disabled': true, 'aria-disabled': true } : {};
}

/** Saved, saving, not saved or in conflict; and the button that saves, as long as there is something to save. */
function SaveState({ saver }: { saver: Saver }) {
  const { t } = useTranslation('editor');
  const dirty = useEditor(isDirty);
  const saving = useStore(saver.state, (state) => state.saving);
  const conflict = useStore(saver.state, (state) => state.conflict !== null);
  const failed = useStore(saver.state, (state) => state.error !== null || state.missing);
  const kind = saving ? 'saving' : conflict ? 'conflict' : failed && dirty ? 'failed' : dirty ? 'dirty' : 'saved';
  const icons = {
    saving: LoaderCircle,
    conflict: TriangleAlert,
    failed: TriangleAlert,
    dirty: CircleDot,
    saved: CircleCheck,
  };
  const Icon = icons[kind];
  return (
    <span className={classes['save']}>
      <span className={classes['state']} data-save-state={kind}>
        <Icon size={13} aria-hidden />
        {t(`save.${kind}`)}
      </span>
      {dirty && (
        <Tooltip label={`${t('command.save')} (${keyCaps('mod+S').join(' ')})`}>
          <Button
            size="compact-xs"
            variant="light"
            loading={saving}
            leftSection={<Save size={13} aria-hidden />}
            onClick={() => void saver.save()}
          >
            {t('save.save')}
          </Button>
        </Tooltip>
      )}
    </span>
  );
}
