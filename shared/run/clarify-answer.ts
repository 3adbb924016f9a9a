import { isJsonObject } from '../chain/json-value.ts';
import type { ClarifyField } from '../chain/step-fields.ts';
import type { Question, StepOutput } from './event.ts';

export type ClarifyCode =
  | 'INPUT_REQUIRED'
  | 'INVALID_JSON'
  | 'INVALID_SHAPE'
  | 'REQUIRED_FIELD_MISSING'
  | 'INVALID_TYPE'
  | 'MIN_LENGTH'
  | 'MAX_LENGTH'
  | 'INVALID_OPTION'
  | 'MIN'
  | 'MAX';

export type ClarifyAnswer =
  | { readonly kind: 'ok'; readonly output: StepOutput }
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'wrong';
      readonly code: ClarifyCode;
      readonly field: string | null;
      readonly params: Readonly<Record<string, string | number>>;
    };

/**
 * What a person's answer to a `user_input` step means. With fields it is the JSON text of an object: the output holds
 * the declared fields in their order, a default where one is missing; without, it is the text itself. Rules of
 * OpenClaw.NET's clarify schema.
 */
export function readClarifyAnswer(asked: NonNullable<Question['input']>, answer: string): ClarifyAnswer {
  const text = answer.trim();
  if (asked.cancel_words.some((word) => word.trim().toLowerCase() === text.toLowerCase() && text !== '')) {
    return { kind: 'cancelled' };
  }
  if (asked.fields.length === 0) {
    return text === '' ? wrong('INPUT_REQUIRED') : { kind: 'ok', output: { text: answer, truncated: false } };
  }
  let values: unknown;
  try {
    values = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return wrong('INVALID_JSON');
  }
  if (!isJsonObject(values)) return wrong('INVALID_SHAPE');
  const kept: [string, string | number | boolean][] = [];
  for (const field of asked.fields) {
    const given = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const value = given === undefined || given === null || given === '' ? field.default : given;
    if (value === undefined) {
      if (field.required === true) return wrong('REQUIRED_FIELD_MISSING', field);
      continue;
    }
    const fault = faultOf(field, value);
    if (fault !== null) return fault;
    kept.push([field.name, value as string | number | boolean]);
  }
  const json = Object.fromEntries(kept);
  return { kind: 'ok', output: { text: JSON.stringify(json), json, truncated: false } };
}

function faultOf(field: ClarifyField, value: unknown): ClarifyAnswer | null {
  const type = field.type ?? 'string';
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : wrong('INVALID_TYPE', field, { type });
    case 'integer':
    case 'number': {
      if (typeof value !== 'number' || !Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) {
        return wrong('INVALID_TYPE', field, { type });
      }
      if (field.min !== undefined && value < field.min) return wrong('MIN', field, { limit: field.min });
      if (field.max !== undefined && value > field.max) return wrong('MAX', field, { limit: field.max });
      return null;
    }
    case 'enum': {
      if (typeof value !== 'string') return wrong('INVALID_TYPE', field, { type });
      const options = field.options ?? [];
      return options.includes(value) ? null : wrong('INVALID_OPTION', field, { options: options.join(', ') });
    }
    case 'string': {
      if (typeof value !== 'string') return wrong('INVALID_TYPE', field, { type });
      const length = [...value].length;
      if (field.min_length !== undefined && length < field.min_length) {
        return wrong('MIN_LENGTH', field, { limit: field.min_length });
      }
      if (field.max_length !== undefined && length > field.max_length) {
        return wrong('MAX_LENGTH', field, { limit: field.max_length });
      }
      return null;
    }
  }
}

function wrong(
  code: ClarifyCode,
  field: ClarifyField | null = null,
  params: Readonly<Record<string, string | number>> = {},
): ClarifyAnswer {
  return {
    kind: 'wrong',
    code,
    field: field?.name ?? null,
    params: { field: field?.label ?? field?.name ?? '', ...params },
  };
}
