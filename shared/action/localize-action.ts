import { z } from 'zod';
import type { Locale } from '../text/texts.ts';
import type { Action } from './manifest.ts';

const LocalTexts = z.looseObject({
  title: z.string().optional(),
  description: z.string().optional(),
  confirmation: z.string().optional(),
  fields: z
    .record(z.string(), z.looseObject({ title: z.string().optional(), description: z.string().optional() }))
    .optional(),
});

/**
 * The action with its texts in a language (ours): `locales.<locale>` of an action may hold `title`, `description`,
 * `confirmation` and `fields.<name>.{title, description}`. What is missing there stays as the manifest has it.
 */
export function localizeAction(action: Action, locale: Locale): Action {
  const all = action['locales'];
  if (typeof all !== 'object' || all === null || !Object.hasOwn(all, locale)) return action;
  const parsed = LocalTexts.safeParse((all as Record<string, unknown>)[locale]);
  if (!parsed.success) return action;
  const { title, description, confirmation, fields } = parsed.data;
  const properties = Object.entries(action.inputSchema?.properties ?? {}).map(([name, property]) => {
    const texts = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
    return [
      name,
      {
        ...property,
        ...(texts?.title === undefined ? {} : { title: texts.title }),
        ...(texts?.description === undefined ? {} : { description: texts.description }),
      },
    ];
  });
  return {
    ...action,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(confirmation === undefined || action.confirmation === undefined
      ? {}
      : { confirmation: { ...action.confirmation, message: confirmation } }),
    ...(action.inputSchema === undefined
      ? {}
      : { inputSchema: { ...action.inputSchema, properties: Object.fromEntries(properties) } }),
  };
}
