import { AppError } from '../../../shared/errors/app-error.ts';
import type { ModelEndpoint, Settings } from '../../../shared/settings/settings.ts';

/** Where keys are kept. The name is that of an environment variable, whatever the place is. */
export interface SecretStore {
  /** Null when it has no such secret. */
  get(name: string): Promise<string | null>;
}

/** Keys that stand in the environment of this program. */
export function environmentSecrets(environment: NodeJS.ProcessEnv = process.env): SecretStore {
  return { get: async (name) => environment[name] ?? null };
}

/**
 * The endpoint of that name; for an empty name the default one, or where none is set the only one there is. Errors:
 * MODEL_NOT_FOUND, MODEL_NOT_CHOSEN.
 */
export function findModel(name: string, settings: Pick<Settings, 'models' | 'default_model'>): ModelEndpoint {
  const { models, default_model } = settings;
  const wanted = name || default_model;
  if (wanted === '') {
    const [only, second] = models;
    if (only === undefined || second !== undefined) throw new AppError('MODEL_NOT_CHOSEN');
    return only;
  }
  const endpoint = models.find((one) => one.name === wanted);
  if (endpoint === undefined) throw new AppError('MODEL_NOT_FOUND', { name: wanted });
  return endpoint;
}

/** The key of an endpoint; null when it needs none. Errors: MODEL_KEY_MISSING, also for what no header can carry. */
export async function apiKeyOf(
  endpoint: Pick<ModelEndpoint, 'name' | 'api_key_env'>,
  secrets: SecretStore,
): Promise<string | null> {
  const variable = endpoint.api_key_env;
  if (variable === '') return null;
  // A key that was read from a file brings the end of its line along.
  const key = (await secrets.get(variable))?.trim() ?? '';
  if (!/^[\x21-\x7e]+$/.test(key)) throw new AppError('MODEL_KEY_MISSING', { name: endpoint.name, variable });
  return key;
}
