import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../error-codes.js';

const TYPES = ['usage', 'not_found', 'conflict', 'services', 'failed', 'interrupted'] as const;

/** What any command prints when it fails, unless it has printed its document already. */
export const errorDocumentSchema = z.strictObject({
  error: z.strictObject({
    type: z.enum(TYPES),
    code: z.enum([...TYPES, ...(Object.keys(ERROR_CODES) as ErrorCode[])]),
    message: z.string(),
    remedy: z.string().nullable(),
  }),
});
export type ErrorDocument = z.infer<typeof errorDocumentSchema>;
