import { propertiesOf, validateInput } from '../../../shared/action/input-schema.ts';
import { InputSchema } from '../../../shared/action/manifest.ts';
import type { Chain } from '../../../shared/chain/chain.ts';
import { AppError } from '../../../shared/errors/app-error.ts';
import type { RunHeader } from '../../../shared/run/event.ts';

/** What a run may be started with. */
export interface StartInputs {
  readonly input?: string | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  /** Answers to `user_input` steps, by step id. */
  readonly answers?: Readonly<Record<string, string>> | undefined;
}

export interface CheckedInputs {
  /** For the header: sensitive values are `***`. */
  readonly kept: Pick<RunHeader, 'input' | 'inputs' | 'answers'>;
  /** As they were given, with defaults filled in. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

const hidden = '***';

/**
 * The inputs of a run, checked against the `inputs` schema of its chain where it has one. Errors:
 * ACTION_INPUT_INVALID with the field, STEP_NOT_FOUND for an answer to a step that the chain does not have.
 */
export function checkStartInputs(chain: Chain, given: StartInputs): CheckedInputs {
  const schema = InputSchema.safeParse(chain.inputs);
  const hasSchema = chain.inputs !== undefined && schema.success;
  const inputs = hasSchema ? validateInput({ inputSchema: schema.data }, given.inputs ?? {}) : (given.inputs ?? {});
  const known = new Set(chain.steps.map((step) => step.id));
  for (const id of Object.keys(given.answers ?? {})) {
    if (!known.has(id)) throw new AppError('STEP_NOT_FOUND', { step: id });
  }
  const sensitive = hasSchema
    ? [...propertiesOf(schema.data)].filter(([, property]) => property.sensitive === true).map(([name]) => name)
    : [];
  const secrets = sensitive.flatMap((name) => (Object.hasOwn(inputs, name) ? [String(inputs[name])] : []));
  const shown = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, sensitive.includes(name) ? hidden : value]),
  );
  return {
    kept: {
      ...(given.input === undefined ? {} : { input: given.input }),
      ...(Object.keys(shown).length === 0 ? {} : { inputs: shown }),
      ...(given.answers === undefined ? {} : { answers: { ...given.answers } }),
    },
    inputs,
    secrets,
  };
}

/** Names of the inputs whose values stand in no file, so that they have to be given again. */
export function missingSecrets(header: RunHeader): string[] {
  return Object.entries(header.inputs ?? {}).flatMap(([name, value]) => (value === hidden ? [name] : []));
}
