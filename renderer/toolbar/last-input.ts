import { sensitiveFields } from '../../shared/action/input-schema.ts';
import type { Action, Scalar } from '../../shared/action/manifest.ts';

const keyPrefix = 'studio.action-input:';
/** A text that is longer is not worth keeping between two starts. */
const longestText = 4000;

/** What was entered the last time, per field; never a sensitive value. Values that no longer fit are left to the form. */
export function lastInput(slug: string, action: Action): Record<string, Scalar> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(`${keyPrefix}${slug}/${action.id}`) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    const hidden = new Set(sensitiveFields(action.inputSchema));
    const known = action.inputSchema?.properties ?? {};
    return Object.fromEntries(
      Object.entries(kept).filter(
        ([field, value]) => Object.hasOwn(known, field) && !hidden.has(field) && isScalar(value),
      ),
    ) as Record<string, Scalar>;
  } catch {
    return {};
  }
}

/** Keeps what was entered for the next time, without sensitive values and very long texts. */
export function keepInput(slug: string, action: Action, input: Readonly<Record<string, Scalar>>): void {
  const hidden = new Set(sensitiveFields(action.inputSchema));
  const kept = Object.entries(input).filter(
    ([field, value]) => !hidden.has(field) && !(typeof value === 'string' && value.length > longestText),
  );
  try {
    localStorage.setItem(`${keyPrefix}${slug}/${action.id}`, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // A full or forbidden storage costs nothing but the memory of the last time.
  }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
