import { z } from 'zod';

/** What any command prints when it fails, unless it has printed its document already. */
export const errorDocumentSchema = z.strictObject({
  error: z.strictObject({
    type: z.enum(['usage', 'not_found', 'conflict', 'services', 'failed', 'interrupted']),
    code: z.string().describe('dotted, such as `batch.name_taken`; else the type'),
    message: z.string(),
    remedy: z.string().nullable(),
  }),
});
export type ErrorDocument = z.infer<typeof errorDocumentSchema>;
