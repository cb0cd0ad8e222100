import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { plainMessage } from '../../domain/requests/fields.js';

function inside(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodDefault || field instanceof z.ZodOptional || field instanceof z.ZodNullable
    ? inside(field.unwrap())
    : field;
}

/** A text as a field's type; the schema refuses what stays a text. */
function valueOf(kind: z.core.$ZodType, text: string): unknown {
  if (kind instanceof z.ZodNumber) return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
  if (kind instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { error: plainMessage });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
  throw new BenchError('usage', problems.join('; '), {
    code: 'request.invalid',
    remedy: 'Correct these keys of the request; /api/v1/openapi.json describes each route.',
  });
}

export function readQuery(schema: z.ZodObject | undefined, search: URLSearchParams): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema?.shape ?? {};
  const input: Record<string, unknown> = {};
  for (const key of new Set(search.keys())) {
    const kind = shape[key] === undefined ? undefined : inside(shape[key]);
    const values = search.getAll(key);
    if (kind instanceof z.ZodArray) input[key] = values.map((value) => valueOf(kind.element, value));
    else input[key] = kind === undefined || values.length > 1 ? values : valueOf(kind, values[0] ?? '');
  }
  return checked(schema ?? z.strictObject({}), input);
}

export function readBody(schema: z.ZodObject | undefined, text: string): Record<string, unknown> {
  if (schema === undefined) return {};
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (cause) {
    throw new BenchError('usage', 'the body is not JSON', { code: 'request.invalid', cause });
  }
  return checked(schema, input);
}
