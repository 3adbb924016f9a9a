import type { FanOutMergeMode } from '../chain/step-fields.ts';
import { renderDeep } from '../template/evaluate.ts';
import type { TemplateOutput, TemplateScope } from '../template/template.ts';
import type { StepOutput } from './event.ts';

/** More items than this are a failure of the step: nobody means them. */
export const maxItems = 1000;

/**
 * The items of a `fan_out`: of a list, or of a template whose value is a list or the JSON text of one. Items are texts,
 * numbers or objects. Null when there is no list, or a longer one than `maxItems`.
 */
export function itemsOf(iterable: string | readonly unknown[] | undefined, scope: TemplateScope): unknown[] | null {
  if (iterable === undefined) return null;
  const value = renderDeep(iterable, scope) as unknown;
  const list = typeof value === 'string' ? listOf(value) : value;
  if (!Array.isArray(list) || list.length > maxItems) return null;
  return list.every((item) => item !== null && item !== undefined && !Array.isArray(item)) ? list : null;
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The outputs of the children as one, in the order of the items; `json_array` keeps the JSON of those that gave some. */
export function mergeOutputs(outputs: readonly TemplateOutput[], mode: FanOutMergeMode): StepOutput {
  switch (mode) {
    case 'json_array': {
      const json = outputs.map((output) => output.json ?? output.text);
      return { text: JSON.stringify(json), json, truncated: false };
    }
    case 'concat':
      return { text: outputs.map(({ text }) => text).join('\n'), truncated: false };
    case 'first':
    case 'last': {
      const one = outputs.at(mode === 'first' ? 0 : -1);
      if (one === undefined) return { text: '', truncated: false };
      return { text: one.text, ...(one.json === undefined ? {} : { json: one.json }), truncated: false };
    }
  }
}
