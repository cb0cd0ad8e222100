import { z } from 'zod';
import { countSchema, runIdSchema, timeSchema } from './values.js';

const logEntrySchema = z.strictObject({
  at: timeSchema,
  kind: z.enum(['action', 'observation', 'evaluation', 'event', 'end']),
  step: countSchema.nullable(),
  text: z.string(),
});
/** A line of a run's log. */
export type LogEntry = z.infer<typeof logEntrySchema>;

export const logsDocumentSchema = z.strictObject({ runId: runIdSchema, entries: z.array(logEntrySchema) });
export type LogsDocument = z.infer<typeof logsDocumentSchema>;
