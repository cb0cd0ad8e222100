import type { z } from 'zod';
import { BenchError } from '../errors.js';
import { plainMessage } from './fields.js';

/** Throws BenchError (usage) that names each wrong key. */
export function checkedRequest<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { error: plainMessage });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
  throw new BenchError('usage', problems.join('; '), { remedy: 'Correct these keys of the request.' });
}
