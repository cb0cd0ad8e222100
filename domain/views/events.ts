import { z } from 'zod';
import { batchIdSchema, countSchema, runIdSchema, timeSchema } from './values.js';

export const eventSchema = z.strictObject({
  /** Grows with every event: a follower asks for those after the last that it saw. */
  eventId: countSchema,
  runId: runIdSchema.nullable(),
  batchId: batchIdSchema.nullable(),
  kind: z.string(),
  key: z.string(),
  detail: z.string(),
  at: timeSchema,
});
export type EventRow = z.infer<typeof eventSchema>;

/** Which events to list. */
export interface EventFilter {
  runId?: string | undefined;
  batchId?: string | undefined;
  afterEventId?: number | undefined;
  kinds?: readonly string[] | undefined;
  /** The newest so many; default 1000. */
  limit?: number | undefined;
}

export const eventsDocumentSchema = z
  .strictObject({
    events: z.array(eventSchema).describe('oldest first'),
    more: z.boolean().exactOptional().describe('older ones are omitted; absent where new ones are followed'),
  })
  .meta({ id: 'Events' });
export type EventsDocument = z.infer<typeof eventsDocumentSchema>;
