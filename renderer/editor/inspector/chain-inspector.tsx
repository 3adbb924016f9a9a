import { Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import { memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Chain } from '../../../shared/chain/chain.ts';
import type { AppError } from '../../../shared/errors/app-error.ts';
import { api, readError } from '../../api/client.ts';
import { navigate } from '../../stores/route.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { closeChain } from '../state/open-chains.ts';
import type { Saver } from '../state/saver.ts';
import classes from './inspector.module.css';
import { Section } from './section.tsx';

type ChainText = 'description' | 'purpose' | 'user_intent';

/** What is shown when no step is chosen: the chain itself. */
export const ChainInspector = memo(function ChainInspector({ saver }: { saver: Saver }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const tags = useEditor((state) => state.doc.chain.tags);
  const file = useEditor((state) => state.file.file);
  const count = useEditor((state) => state.doc.chain.exec_count);
  const created = useEditor((state) => state.doc.chain.created_at);
  const updated = useEditor((state) => state.doc.chain.updated_at);
  return (
    <>
      <Section name="chain" title={t('inspector.about')}>
        <NameField saver={saver} />
        <ChainTextField field="description" />
        <ChainTextField field="purpose" />
        <ChainTextField field="user_intent" />
        <TagsInput
          label={t('field.tags')}
          placeholder={(tags?.length ?? 0) === 0 ? t('inspector.tagsHint') : ''}
          value={[...(tags ?? [])]}
          onChange={(next) => store.getState().edit({ kind: 'update_chain', patch: { tags: next } })}
        />
      </Section>
      <Section name="file" title={t('inspector.file')} open={false}>
        <dl className={classes['facts']}>
          <dt>{t('inspector.path')}</dt>
          <dd>{file}</dd>
          <dt>{t('field.exec_count')}</dt>
          <dd>{count ?? 0}</dd>
          {created !== undefined && (
            <>
              <dt>{t('field.created_at')}</dt>
              <dd>{created}</dd>
            </>
          )}
          {updated !== undefined && (
            <>
              <dt>{t('field.updated_at')}</dt>
              <dd>{updated}</dd>
            </>
          )}
        </dl>
      </Section>
    </>
  );
});

function ChainTextField({ field }: { field: ChainText }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const value = useEditor((state) => state.doc.chain[field]) ?? '';
  const visit = useRef(0);
  return (
    <Textarea
      label={t(`field.${field}`)}
      autosize
      minRows={1}
      maxRows={8}
      value={value}
      onFocus={() => {
        visit.current += 1;
      }}
      onChange={(event) => {
        const patch: Partial<Chain> = { [field]: event.currentTarget.value };
        store.getState().edit({ kind: 'update_chain', patch }, { group: `chain ${field} ${visit.current}` });
      }}
    />
  );
}

/** Renaming moves the file, so it is a call of its own; what was not saved is saved with it. */
function NameField({ saver }: { saver: Saver }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const name = useEditor((state) => state.file.name);
  const [text, setText] = useState(name);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppError | null>(null);
  const changed = text.trim() !== '' && text.trim() !== name;
  async function rename() {
    if (!changed) return;
    setBusy(true);
    setError(null);
    try {
      if (!(await saver.save())) return;
      const renamed = await api.chains.rename({
        name,
        new_name: text.trim(),
        base_revision: store.getState().file.revision,
      });
      closeChain(name);
      navigate({ room: 'chain', name: renamed.name });
    } catch (thrown) {
      setError(readError(thrown));
    } finally {
      setBusy(false);
    }
  }
  return (
    <div>
      <TextInput
        label={t('field.name')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) void rename();
          if (event.key === 'Escape' && changed) {
            event.stopPropagation();
            setText(name);
          }
        }}
        rightSectionWidth={changed ? 78 : 0}
        rightSection={
          changed && (
            <Button size="compact-xs" loading={busy} onClick={() => void rename()}>
              {t('inspector.rename')}
            </Button>
          )
        }
      />
      <ErrorNote error={error} onClose={() => setError(null)} />
    </div>
  );
}
