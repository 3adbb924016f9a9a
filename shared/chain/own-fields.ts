import { z } from 'zod';
import { isJsonObject } from './json-value.ts';

/** The types of fields as a file may have them: null counts as absent, at every level where a field may be absent. */
export function asInFile(fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, nullable(type).nullish()]));
}

/** A value of this type without the nulls that count as absent; what the type does not name stays as it is. */
export function withoutNulls(type: z.ZodType, value: unknown): unknown {
  const inner = type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutNulls(inner.element as z.ZodType, item));
  }
  if (!(inner instanceof z.ZodObject) || !isJsonObject(value)) return value;
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
      if (!Object.hasOwn(shape, key)) return [[key, part]];
      return part === null ? [] : [[key, withoutNulls(shape[key]!, part)]];
    }),
  );
}

function nullable(type: z.ZodType): z.ZodType {
  if (type instanceof z.ZodOptional) return nullable(type.unwrap() as z.ZodType).nullish();
  if (type instanceof z.ZodArray) return z.array(nullable(type.element as z.ZodType));
  if (!(type instanceof z.ZodObject)) return type;
  const shape: Readonly<Record<string, z.ZodType>> = type.shape;
  return z.looseObject(Object.fromEntries(Object.entries(shape).map(([key, part]) => [key, nullable(part)])));
}
