import type { TemplateOutput, TemplateScope } from './template.ts';

/** A scope of plain data, for tests; an output may be just its text. */
export function scopeOf(data: {
  readonly input?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, TemplateOutput | string>>;
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly item?: unknown;
  readonly index?: number;
}): TemplateScope {
  const { input = '', inputs = {}, outputs = {}, vars = {}, item, index } = data;
  const own = <T>(group: Readonly<Record<string, T>>, name: string): T | undefined =>
    Object.hasOwn(group, name) ? group[name] : undefined;
  return {
    input,
    inputs: (name) => own(inputs, name),
    output: (id) => {
      const output = own(outputs, id);
      return typeof output === 'string' ? { text: output } : output;
    },
    variable: (name) => own(vars, name),
    ...(item === undefined ? {} : { item }),
    ...(index === undefined ? {} : { index }),
  };
}
