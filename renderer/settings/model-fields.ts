import { isBaseAddress, ModelEndpoint } from '../../shared/settings/settings.ts';

export type ModelField =
  | 'name'
  | 'base_url'
  | 'model'
  | 'api_key_env'
  | 'timeout_seconds'
  | 'max_tokens'
  | 'temperature';
export type ModelProblem =
  | 'empty'
  | 'long'
  | 'noSlash'
  | 'taken'
  | 'address'
  | 'variable'
  | 'notPositive'
  | 'tooLong'
  | 'tokens'
  | 'temperature';

/** What keeps a model from being saved, by field, in the order of the form. `others` = names that are taken. */
export function modelProblems(
  endpoint: ModelEndpoint,
  others: readonly string[],
): Partial<Record<ModelField, ModelProblem>> {
  const problems: Partial<Record<ModelField, ModelProblem>> = {};
  const wrong = new Set(ModelEndpoint.safeParse(endpoint).error?.issues.map((issue) => issue.path[0]));
  if (endpoint.name === '') problems.name = 'empty';
  else if (endpoint.name.length > 60) problems.name = 'long';
  else if (wrong.has('name')) problems.name = 'noSlash';
  else if (others.includes(endpoint.name)) problems.name = 'taken';
  // The rule about the address is only asked once every single field is right.
  const needsAddress = endpoint.base_url !== '' || endpoint.provider !== 'anthropic';
  if (needsAddress && (wrong.has('base_url') || !isBaseAddress(endpoint.base_url))) problems.base_url = 'address';
  if (endpoint.model === '') problems.model = 'empty';
  else if (wrong.has('model')) problems.model = 'long';
  if (wrong.has('api_key_env')) problems.api_key_env = 'variable';
  if (!(endpoint.timeout_seconds > 0)) problems.timeout_seconds = 'notPositive';
  else if (wrong.has('timeout_seconds')) problems.timeout_seconds = 'tooLong';
  if (wrong.has('max_tokens')) problems.max_tokens = 'tokens';
  if (wrong.has('temperature')) problems.temperature = 'temperature';
  return problems;
}
