import type { z } from 'zod';
import { BenchError } from '../domain/errors.js';
import { plainMessage } from '../domain/requests/fields.js';

/** Throws an error that names each wrong key. */
export function checked<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { error: plainMessage });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new BenchError('usage', problems.join('; '), { remedy: 'Correct these keys of the request.' });
}
