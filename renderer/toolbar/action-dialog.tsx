import { Button, Modal } from '@mantine/core';
import { Square, TriangleAlert } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkInput, type InputValues, propertiesOf } from '../../shared/action/input-schema.ts';
import { localizeAction } from '../../shared/action/localize-action.ts';
import type { Action, Scalar } from '../../shared/action/manifest.ts';
import { inputProblemText } from '../../shared/action/manifest-texts.ts';
import { AppError, type AppError as AppErrorType } from '../../shared/errors/app-error.ts';
import { api, readError } from '../api/client.ts';
import { useLocale } from '../i18n/i18n.ts';
import {
  type AskedAction,
  closeAction,
  findAction,
  startAction,
  stopJob,
  useActionRunner,
} from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { useJobs } from '../stores/jobs-store.ts';
import { navigate } from '../stores/route.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { isAtWork, JobView } from '../ui/job-view.tsx';
import { ManifestIcon } from '../ui/manifest-icon.tsx';
import classes from './action-dialog.module.css';
import { ActionForm, type FormValues } from './action-form.tsx';
import { keepInput, lastInput } from './last-input.ts';

/** The action that somebody pressed: its form, its confirmation, then its job. Mounted with the toolbar. */
export function ActionDialog() {
  const asked = useActionRunner((state) => state.asked);
  if (asked === null) return null;
  return <AskedDialog key={`${asked.slug}/${asked.actionId}`} asked={asked} />;
}

function AskedDialog({ asked }: { asked: AskedAction }) {
  const { t } = useTranslation(['toolbar', 'common']);
  const locale = useLocale();
  const manifests = useActions((state) => state.value);
  // A manifest that changes meanwhile must not take the form from under the person's hands.
  const [found] = useState(() => findAction(manifests, asked));
  const action = useMemo(() => (found === null ? null : localizeAction(found.offered.action, locale)), [found, locale]);
  const [jobId, setJobId] = useState<string | null>(null);
  const job = useJobs((state) => state.value?.find((other) => other.id === jobId) ?? null);
  const close = () => closeAction(job !== null && isAtWork(job) ? job.id : null);

  return (
    <Modal
      opened
      onClose={close}
      size={jobId === null ? 'md' : 'lg'}
      closeButtonProps={{ 'aria-label': t('common:close') }}
      title={
        <span className={classes['title']}>
          <ManifestIcon name={action?.icon} size={17} />
          {action?.title ?? asked.actionId}
          {found !== null && found.manifest.skill_id !== null && (
            <span className={classes['skill']}>{found.manifest.skill_name}</span>
          )}
        </span>
      }
    >
      {action === null ? (
        <ErrorNote error={new AppError('ACTION_NOT_FOUND', { skill: asked.slug, action: asked.actionId })} />
      ) : jobId === null ? (
        <Start asked={asked} action={action} onStarted={setJobId} onClose={close} />
      ) : (
        <Watch jobId={jobId} onAgain={() => setJobId(null)} onClose={close} />
      )}
    </Modal>
  );
}

/** Form, then confirmation when the manifest asks for one; an action that needs neither starts by itself. */
function Start({
  asked,
  action,
  onStarted,
  onClose,
}: {
  asked: AskedAction;
  action: Action;
  onStarted: (jobId: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(['toolbar', 'common']);
  const locale = useLocale();
  const schema = action.inputSchema;
  const hasFields = propertiesOf(schema).size > 0;
  const [values, setValues] = useState<FormValues>(() => startValues(asked.slug, action));
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const [confirming, setConfirming] = useState<InputValues | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppErrorType | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const started = useRef(false);

  const { values: checked, problems } = checkInput(schema, values);
  const sentences = Object.fromEntries(
    problems
      .filter(({ field }) => shown.has(field))
      .map((problem) => [problem.field, inputProblemText(locale, problem)]),
  );

  async function start(input: InputValues, confirmed: boolean) {
    setBusy(true);
    setError(null);
    try {
      const job = await startAction(asked, input, confirmed);
      keepInput(asked.slug, action, input);
      onStarted(job.id);
    } catch (thrown) {
      const failure = readError(thrown);
      const field = failure.place.field;
      setConfirming(null);
      if (failure.code === 'ACTION_INPUT_INVALID' && field !== undefined && propertiesOf(schema).has(field)) {
        const detail = failure.params[`detail:${locale}`] ?? failure.params['detail'] ?? '';
        setRefused({ [field]: String(detail) });
      } else setError(failure);
      setBusy(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (problems.length > 0) {
      setShown(new Set(problems.map(({ field }) => field)));
      const first = problems[0]?.field ?? '';
      form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus();
      return;
    }
    if (action.confirmation !== undefined) setConfirming(checked);
    else void start(checked, false);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens.
  useEffect(() => {
    if (started.current || hasFields || action.confirmation !== undefined) return;
    started.current = true;
    void start({}, false);
  }, []);

  const confirmation = action.confirmation;
  if (confirmation !== undefined && (confirming !== null || !hasFields)) {
    return (
      <Confirm
        asked={asked}
        input={confirming ?? {}}
        message={confirmation.message}
        danger={confirmation.danger === true || action.risk === 'high'}
        label={action.title ?? action.id}
        busy={busy}
        error={error}
        onBack={hasFields ? () => setConfirming(null) : onClose}
        backLabel={hasFields ? t('back') : t('common:cancel')}
        onConfirm={() => void start(confirming ?? {}, true)}
      />
    );
  }
  return (
    <form ref={form} className={classes['body']} onSubmit={submit} noValidate>
      {action.description !== undefined && <p className={classes['description']}>{action.description}</p>}
      <ActionForm
        schema={schema}
        values={values}
        problems={{ ...sentences, ...refused }}
        onChange={(field, value) => {
          setValues((before) => ({ ...before, [field]: value }));
          setRefused({});
        }}
        onLeave={(field) => setShown((before) => new Set([...before, field]))}
      />
      <ErrorNote error={error} />
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {(hasFields || error !== null) && (
          <Button type="submit" loading={busy}>
            {confirmation === undefined ? t('run') : t('next')}
          </Button>
        )}
      </div>
    </form>
  );
}

function Confirm({
  asked,
  input,
  message,
  danger,
  label,
  busy,
  error,
  backLabel,
  onBack,
  onConfirm,
}: {
  asked: AskedAction;
  input: InputValues;
  message: string;
  danger: boolean;
  label: string;
  busy: boolean;
  error: AppErrorType | null;
  backLabel: string;
  onBack: () => void;
  onConfirm: () => void;
}) {
  const { t } = useTranslation('toolbar');
  const [argv, setArgv] = useState<readonly string[] | null>(null);
  useEffect(() => {
    let current = true;
    api.actions
      .preview({ skill_slug: asked.slug, action_id: asked.actionId, input: { ...input } })
      .then((preview) => current && setArgv(preview.argv))
      // What is wrong with the call is said when it is made.
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [asked, input]);
  return (
    <div className={classes['body']}>
      <div className={classes['question']} data-danger={danger || undefined}>
        {danger && <TriangleAlert size={18} aria-hidden className={classes['warning']} />}
        <p>{message}</p>
      </div>
      {argv !== null && (
        <div>
          <p className={classes['caption']}>{t('command')}</p>
          <code className={classes['command']}>{argv.join(' ')}</code>
        </div>
      )}
      <ErrorNote error={error} />
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onBack} data-autofocus>
          {backLabel}
        </Button>
        <Button {...(danger ? { color: 'red' } : {})} loading={busy} onClick={onConfirm}>
          {label}
        </Button>
      </div>
    </div>
  );
}

/** The job as it goes: progress, then result or error. */
function Watch({ jobId, onAgain, onClose }: { jobId: string; onAgain: () => void; onClose: () => void }) {
  const { t } = useTranslation(['toolbar', 'common']);
  const job = useJobs((state) => state.value?.find((other) => other.id === jobId) ?? null);
  const [stopping, setStopping] = useState(false);
  const [error, setError] = useState<AppErrorType | null>(null);
  if (job === null) return null;
  const atWork = isAtWork(job);

  async function stop() {
    setStopping(true);
    setError(null);
    try {
      await stopJob(jobId);
    } catch (thrown) {
      setError(readError(thrown));
    }
    setStopping(false);
  }

  return (
    <div className={classes['body']}>
      <div aria-live="polite">
        <JobView job={job} />
      </div>
      <ErrorNote error={error} />
      <div className={classes['buttons']}>
        <Button
          variant="subtle"
          className={classes['left'] ?? ''}
          onClick={() => {
            onClose();
            navigate({ room: 'jobs', id: jobId });
          }}
        >
          {t('openJob')}
        </Button>
        {atWork ? (
          <Button
            variant="default"
            loading={stopping}
            leftSection={<Square size={13} aria-hidden />}
            onClick={() => void stop()}
          >
            {t('stop')}
          </Button>
        ) : (
          <Button variant="default" onClick={onAgain}>
            {t('again')}
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          {atWork ? t('background') : t('common:close')}
        </Button>
      </div>
    </div>
  );
}

/** The last input over the defaults; a required switch starts as off, since off is an answer. */
function startValues(slug: string, action: Action): FormValues {
  const last = lastInput(slug, action);
  const required = new Set(action.inputSchema?.required ?? []);
  const values: Record<string, Scalar | undefined> = {};
  for (const [field, property] of propertiesOf(action.inputSchema)) {
    const off = property.type === 'boolean' && required.has(field) ? false : undefined;
    values[field] = Object.hasOwn(last, field) ? last[field] : (property.default ?? off);
  }
  return values;
}
