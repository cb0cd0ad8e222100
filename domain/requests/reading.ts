import { z } from 'zod';
import { EVENT_KINDS } from '../run/event-kinds.js';
import { INTEGRITY_RULES } from '../run/integrity-rules.js';
import { END_REASONS, RUN_STATUSES } from '../run/outcomes.js';
import { duration, names, whole } from './fields.js';

export const runsRequestSchema = z.strictObject({
  batch: z.string().min(1).optional().describe('id, name, or an unambiguous part of the id; default: all batches'),
  models: names().optional().describe('only these models, comma-separated'),
  tasks: names().optional().meta({ description: 'only these tasks, comma-separated', placeholder: 'ids' }),
  status: z.enum(RUN_STATUSES).optional().meta({ description: 'only runs in this state', placeholder: 'status' }),
  endReason: z
    .enum(END_REASONS)
    .optional()
    .meta({ description: 'only runs that ended for this reason', placeholder: 'reason' }),
  flag: z
    .enum(INTEGRITY_RULES)
    .optional()
    .meta({ description: 'only runs that this integrity rule flagged', placeholder: 'rule' }),
  tag: z.string().min(1).optional().meta({ description: 'only runs with this tag', placeholder: 'word' }),
  limit: whole(1, 100_000).default(100).describe('number of runs'),
});
export type RunsRequest = z.input<typeof runsRequestSchema>;

export const batchesRequestSchema = z.strictObject({
  tag: z.string().min(1).optional().meta({ description: 'only batches with this tag', placeholder: 'word' }),
  archived: z.boolean().default(false).describe('also archived batches'),
  limit: whole(1, 100_000).default(20).describe('number of batches'),
});
export type BatchesRequest = z.input<typeof batchesRequestSchema>;

export const eventsRequestSchema = z.strictObject({
  of: z.string().min(1).optional().describe('id of a run or batch; default: all events'),
  kind: z
    .array(z.enum(EVENT_KINDS))
    .min(1)
    .optional()
    .meta({ description: `only these kinds, comma-separated: ${EVENT_KINDS.join(', ')}`, placeholder: 'kinds' }),
  limit: whole(1, 100_000).default(200).describe('number of events, the newest ones'),
});
export type EventsRequest = z.input<typeof eventsRequestSchema>;

export const trajectoryRequestSchema = z.strictObject({
  from: whole(1).default(1).meta({ description: 'start at this step', placeholder: 'step' }),
});
export type TrajectoryRequest = z.input<typeof trajectoryRequestSchema>;

export const sqlRequestSchema = z.strictObject({
  maxRows: whole(1, 1_000_000).default(10_000).describe('number of rows to print at most'),
  timeout: duration().default(60).describe('time limit, such as 90s or 2m'),
});
export type SqlRequest = z.input<typeof sqlRequestSchema>;
