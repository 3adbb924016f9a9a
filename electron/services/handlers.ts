import { implement, ORPCError } from '@orpc/server';
import { contract } from '../../shared/api/contract.ts';
import { parseChainFile } from '../../shared/chain/chain-file.ts';
import { AppError, toAppError } from '../../shared/errors/app-error.ts';
import { errorCodes } from '../../shared/errors/error-codes.ts';
import { nearestLocale } from '../../shared/text/texts.ts';
import type { Services } from './create-services.ts';
import { simulateChain } from './runs/simulate-chain.ts';

/**
 * Answers every call of the contract with the services. Whatever goes wrong, in a call or in the middle of a stream,
 * reaches the caller as the typed error `APP`; a bug is logged with its stack and reaches the caller as INTERNAL.
 */
export function createRouter(services: Services, transport: 'window' | 'server') {
  const { chains, skills, actions, jobs, runs, settings, events, options } = services;
  const wire = (thrown: unknown) => wireError(services, thrown);
  const os = implement(contract).use(async ({ next }) => {
    try {
      return await next();
    } catch (thrown) {
      throw wire(thrown);
    }
  });
  return os.router({
    app: {
      info: os.app.info.handler(async () => ({
        version: options.version,
        data_home: options.dataHome,
        skills_home: options.skillsHome,
        platform: process.platform,
        locale: options.locale,
        transport,
        first_start: (await chains.names()).length === 0,
      })),
      watch: os.app.watch.handler(({ signal }) => guarded(events.watch(signal), wire)),
      installSamples: os.app.installSamples.handler(async () => {
        const installed = await services.installSamples();
        if (installed.skills.length > 0) await skills.scan();
        return installed;
      }),
    },
    chains: {
      list: os.chains.list.handler(() => services.listChains()),
      get: os.chains.get.handler(({ input }) => chains.get(input.name)),
      create: os.chains.create.handler(({ input }) => chains.create(input.name, input.text)),
      save: os.chains.save.handler(({ input }) => chains.save(input)),
      rename: os.chains.rename.handler(({ input }) => chains.rename(input.name, input.new_name, input.base_revision)),
      duplicate: os.chains.duplicate.handler(({ input }) => chains.duplicate(input.name, input.new_name)),
      delete: os.chains.delete.handler(({ input }) => chains.delete(input.name)),
      restore: os.chains.restore.handler(({ input }) => chains.restore(input.trashed)),
      saveLayout: os.chains.saveLayout.handler(async ({ input }) => {
        await chains.saveLayout(input.name, input.layout);
        return {};
      }),
      saveDraft: os.chains.saveDraft.handler(async ({ input }) => {
        await chains.saveDraft(input.name, input.text, input.based_on);
        return {};
      }),
      discardDraft: os.chains.discardDraft.handler(async ({ input }) => {
        await chains.discardDraft(input.name);
        return {};
      }),
      plan: os.chains.plan.handler(({ input }) =>
        services.planChain(input.name, input.text, input.locale ?? nearestLocale(options.locale)),
      ),
      validate: os.chains.validate.handler(async ({ input }) => ({
        problems: await services.validateChain(input.name),
      })),
    },
    skills: {
      list: os.skills.list.handler(() => skills.list()),
      rescan: os.skills.rescan.handler(() => skills.scan()),
      get: os.skills.get.handler(({ input }) => skills.get(input.id)),
    },
    actions: {
      list: os.actions.list.handler(() => actions.list()),
      run: os.actions.run.handler(({ input }) => jobs.run(input)),
      preview: os.actions.preview.handler(({ input }) => jobs.preview(input)),
    },
    jobs: {
      list: os.jobs.list.handler(() => jobs.list()),
      get: os.jobs.get.handler(({ input }) => jobs.get(input.id)),
      cancel: os.jobs.cancel.handler(({ input }) => jobs.cancel(input.id)),
    },
    runs: {
      list: os.runs.list.handler(({ input }) => runs.list(input)),
      start: os.runs.start.handler(({ input }) =>
        runs.start({ ...input, source: input.source ?? (transport === 'window' ? 'window' : 'api') }),
      ),
      resume: os.runs.resume.handler(async ({ input }) => {
        await runs.resume(input);
        return {};
      }),
      previewRerun: os.runs.previewRerun.handler(({ input }) => runs.previewRerun(input)),
      rerun: os.runs.rerun.handler(({ input }) =>
        runs.rerun({ ...input, source: input.source ?? (transport === 'window' ? 'window' : 'api') }),
      ),
      simulate: os.runs.simulate.handler(async ({ input }) => {
        const { name, text, faults, ...given } = input;
        const chain = text === undefined ? (await chains.read(name)).chain : parseChainFile(text).chain;
        return simulateChain(chain, faults, given, settings.values());
      }),
      get: os.runs.get.handler(({ input }) => runs.get(input.run_id)),
      watch: os.runs.watch.handler(({ input, signal }) =>
        guarded(runs.watch(input.run_id, input.after_seq ?? -1, signal), wire),
      ),
      answer: os.runs.answer.handler(async ({ input }) => {
        await runs.answer(input);
        return {};
      }),
      cancel: os.runs.cancel.handler(async ({ input }) => {
        await runs.cancel(input.run_id, { force: input.force ?? false });
        return {};
      }),
      log: os.runs.log.handler(({ input }) => runs.log(input)),
      delete: os.runs.delete.handler(async ({ input }) => {
        await runs.delete(input.run_id);
        return {};
      }),
    },
    settings: {
      get: os.settings.get.handler(() => settings.view()),
      set: os.settings.set.handler(({ input }) => settings.set(input.patch)),
    },
  });
}

/** Passes a stream on; what it throws becomes the typed error, an abort by the reader ends it quietly. */
async function* guarded<T>(
  source: AsyncIterable<T>,
  wire: (thrown: unknown) => unknown,
): AsyncGenerator<T, void, void> {
  try {
    yield* source;
  } catch (thrown) {
    throw wire(thrown);
  }
}

function wireError(services: Services, thrown: unknown): unknown {
  const error = asAppError(thrown);
  if (error === null) return thrown;
  if (errorCodes[error.code].who === 'bug') services.log.error('a call failed', { error: thrown });
  return new ORPCError('APP', {
    defined: true,
    status: 422,
    message: error.message,
    data: error.toWire(),
    cause: thrown,
  });
}

/** Null for what travels as it is: an error that has its typed form already, or the reader's own abort. */
function asAppError(thrown: unknown): AppError | null {
  if (thrown instanceof Error && thrown.name === 'AbortError') return null;
  if (!(thrown instanceof ORPCError)) return toAppError(thrown);
  if (thrown.code === 'APP') return null;
  if (thrown.code === 'BAD_REQUEST') return inputError(thrown);
  return toAppError(thrown.cause ?? thrown);
}

function inputError(thrown: ORPCError<string, unknown>): AppError {
  const issues =
    typeof thrown.data === 'object' && thrown.data !== null && 'issues' in thrown.data ? thrown.data.issues : [];
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (typeof first !== 'object' || first === null) return new AppError('INPUT_INVALID', { detail: thrown.message });
  const path = 'path' in first && Array.isArray(first.path) ? first.path.map(String).join('.') : '';
  const detail = 'message' in first ? String(first.message) : thrown.message;
  return new AppError('INPUT_INVALID', { detail }, path === '' ? {} : { field: path });
}
