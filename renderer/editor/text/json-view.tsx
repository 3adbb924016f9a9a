import { Button, Kbd } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseChainFile } from '../../../shared/chain/chain-file.ts';
import { type AppError, toAppError } from '../../../shared/errors/app-error.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import classes from './json-view.module.css';

/** The file's text as a save would write it. Edits are taken over as one undo entry once they are a chain again. */
export function JsonView() {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const chain = useEditor((state) => state.doc.chain);
  const baseText = useEditor((state) => state.file.baseText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is made from these two.
  const text = useMemo(() => store.getState().text(), [store, chain, baseText]);
  const [typed, setTyped] = useState<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const shown = typed ?? text;
  const error = useMemo(() => (typed === null ? null : problemOf(typed)), [typed]);
  const lines = useMemo(() => shown.split('\n').length, [shown]);
  const changed = typed !== null && typed !== text;

  const take = () => {
    if (typed === null || error !== null) return;
    if (changed) store.getState().replaceText(typed, { key: 'replace', params: {} });
    setTyped(null);
  };
  // What was typed and is a chain is not lost when another view is chosen.
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => () => latest.current(), []);

  const goTo = () => {
    const { line = 1, column = 1 } = error?.place ?? {};
    const before = shown.split('\n').slice(0, line - 1);
    const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    box.current?.focus();
    box.current?.setSelectionRange(at, at);
    if (box.current !== null) box.current.scrollTop = Math.max(0, (line - 6) * 18);
  };

  return (
    <div className={classes['view']}>
      <div className={classes['bar']}>
        <span className={classes['dim']}>{changed ? t('json.changed') : t('json.about')}</span>
        {changed && (
          <>
            <Button size="compact-sm" disabled={error !== null} onClick={take}>
              {t('json.take')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setTyped(null)}>
              {t('json.drop')}
            </Button>
            <Kbd size="xs">Ctrl/⌘ Enter</Kbd>
          </>
        )}
      </div>
      {error !== null && (
        <div className={classes['error']}>
          <ErrorNote error={error}>
            {error.place.line !== undefined && (
              <Button size="compact-xs" variant="subtle" onClick={goTo}>
                {t('json.goTo', { line: error.place.line })}
              </Button>
            )}
          </ErrorNote>
        </div>
      )}
      <div className={classes['editor']}>
        <div ref={gutter} className={classes['gutter']} aria-hidden>
          {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
        </div>
        <textarea
          ref={box}
          className={classes['text']}
          aria-label={t('json.label')}
          spellCheck={false}
          wrap="off"
          value={shown}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && changed) {
              event.preventDefault();
              event.stopPropagation();
              take();
            }
          }}
        />
      </div>
    </div>
  );
}

function problemOf(text: string): AppError | null {
  try {
    parseChainFile(text);
    return null;
  } catch (thrown) {
    return toAppError(thrown);
  }
}
