import { Button, FileButton, Group, Modal, Textarea, TextInput } from '@mantine/core';
import { Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseChainFile } from '../../shared/chain/chain-file.ts';
import type { AppError } from '../../shared/errors/app-error.ts';
import { api, readError } from '../api/client.ts';
import { useChains } from '../stores/chains-store.ts';
import { navigate } from '../stores/route.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import classes from './import-dialog.module.css';

interface Candidate {
  readonly key: string;
  readonly from: string;
  readonly text: string;
  readonly name: string;
  readonly steps: number;
  readonly error: AppError | null;
}

/** Brings chain files in: chosen, dropped or pasted. Nothing is written before a file was understood. */
export function ImportDialog({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const { t } = useTranslation(['chains', 'common']);
  const [candidates, setCandidates] = useState<readonly Candidate[]>([]);
  const [pasted, setPasted] = useState('');
  const [busy, setBusy] = useState(false);

  async function read(chosen: readonly File[]) {
    const read = await Promise.all(chosen.map(async (file) => candidateOf(await file.text(), file.name)));
    setCandidates((before) => [...before, ...read]);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files that the dialog was opened with are read once.
  useEffect(() => {
    void read(files);
  }, []);

  const change = (key: string, change: Partial<Candidate>) =>
    setCandidates((before) => before.map((one) => (one.key === key ? { ...one, ...change } : one)));

  async function importAll() {
    setBusy(true);
    const imported: string[] = [];
    let failed = 0;
    for (const candidate of candidates) {
      if (candidate.steps < 0) {
        failed += 1;
        continue;
      }
      try {
        const { name } = await api.chains.create({ name: candidate.name.trim(), text: candidate.text });
        imported.push(name);
        setCandidates((before) => before.filter((other) => other.key !== candidate.key));
      } catch (thrown) {
        failed += 1;
        change(candidate.key, { error: readError(thrown) });
      }
    }
    await useChains.getState().refresh();
    setBusy(false);
    if (failed > 0) return;
    onClose();
    const [only] = imported;
    if (imported.length === 1 && only !== undefined) navigate({ room: 'chain', name: only });
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t('dialog.import.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <div className={classes['ways']}>
        <FileButton multiple accept="application/json,.json" onChange={(chosen) => void read(chosen)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<Upload size={15} aria-hidden />} data-autofocus>
              {t('dialog.import.choose')}
            </Button>
          )}
        </FileButton>
        <span className={classes['or']}>{t('dialog.import.or')}</span>
      </div>
      <Textarea
        label={t('dialog.import.paste')}
        value={pasted}
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        classNames={{ input: classes['code'] ?? '' }}
        onChange={(event) => setPasted(event.currentTarget.value)}
      />
      {pasted.trim() !== '' && (
        <Button
          mt="xs"
          variant="light"
          onClick={() => {
            setCandidates((before) => [...before, candidateOf(pasted, t('dialog.import.pastedText'))]);
            setPasted('');
          }}
        >
          {t('dialog.import.check')}
        </Button>
      )}
      {candidates.length > 0 && (
        <ul className={classes['list']}>
          {candidates.map((candidate) => (
            <li key={candidate.key} className={classes['item']}>
              <div className={classes['from']}>
                <strong>{candidate.from}</strong>
                {candidate.steps >= 0 && <span>{t('steps', { count: candidate.steps })}</span>}
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-xs"
                  onClick={() => setCandidates((before) => before.filter((other) => other.key !== candidate.key))}
                >
                  {t('dialog.import.remove')}
                </Button>
              </div>
              {candidate.steps >= 0 && (
                <TextInput
                  label={t('dialog.name')}
                  value={candidate.name}
                  onChange={(event) => change(candidate.key, { name: event.currentTarget.value, error: null })}
                />
              )}
              <ErrorNote error={candidate.error} />
            </li>
          ))}
        </ul>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button loading={busy} disabled={!candidates.some((one) => one.steps >= 0)} onClick={() => void importAll()}>
          {t('dialog.import.submit')}
        </Button>
      </Group>
    </Modal>
  );
}

let counted = 0;

function candidateOf(text: string, from: string): Candidate {
  counted += 1;
  const key = String(counted);
  try {
    const { chain } = parseChainFile(text, from);
    const name = chain.name === '' ? from.replace(/\.json$/i, '') : chain.name;
    return { key, from, text, name, steps: chain.steps.length, error: null };
  } catch (thrown) {
    return { key, from, text, name: '', steps: -1, error: readError(thrown) };
  }
}
