import { z } from 'zod';

/** What any command prints when it fails, unless it has printed its document already. */
export const errorDocumentSchema = z.strictObject({
  error: z.strictObject({
    type: z.enum(['usage', 'not_found', 'services', 'failed', 'interrupted']),
    message: z.string(),
    remedy: z.string().nullable(),
  }),
});
export type ErrorDocument = z.infer<typeof errorDocumentSchema>;
