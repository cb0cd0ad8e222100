import { z } from 'zod';
import { batchRowSchema } from './batch-pages.js';
import { eventSchema } from './events.js';
import { hostSchema } from './hosts.js';
import { leaseSchema } from './leases.js';
import { rateAccountSchema } from './rate-accounts.js';
import { runRowSchema } from './run-page.js';
import { evaluationDetailSchema } from './runs.js';
import { stepColumnsSchema } from './steps.js';
import { countSchema, runIdSchema, timeSchema } from './values.js';

/** Messages to a page by name. Each has the whole present state, so repeats change nothing. */
export const liveMessages = {
  /** First on each stream; `gap`: changes since the cursor are unknown, so reload everything. */
  hello: z.strictObject({ cursor: z.string(), version: z.string(), gap: z.boolean() }),
  /** Rows that are new or other than before, whole. */
  runs: z.strictObject({ topic: z.string(), runs: z.array(runRowSchema) }),
  batches: z.strictObject({ topic: z.string(), batches: z.array(batchRowSchema) }),
  /** Columns of steps that are new, or that ended. */
  steps: z.strictObject({ topic: z.string(), runId: runIdSchema, total: countSchema, columns: stepColumnsSchema }),
  /** What the running command has printed: its end, and how much there is. */
  output: z.strictObject({
    topic: z.string(),
    runId: runIdSchema,
    step: countSchema,
    tail: z.string(),
    workers: countSchema.describe('that have executed it; more than one: it was found again after a death'),
    at: timeSchema,
  }),
  evaluations: z.strictObject({ topic: z.string(), runId: runIdSchema, evaluations: z.array(evaluationDetailSchema) }),
  events: z.strictObject({ topic: z.string(), events: z.array(eventSchema) }),
  hosts: z.strictObject({ topic: z.string(), hosts: z.array(hostSchema) }),
  leases: z.strictObject({ topic: z.string(), leases: z.array(leaseSchema) }),
  limits: z.strictObject({ topic: z.string(), accounts: z.array(rateAccountSchema) }),
  /** Services do not answer since then; null: they do again. */
  services: z.strictObject({ lostSince: timeSchema.nullable() }),
  /** Ask for this topic again as a whole. */
  gap: z.strictObject({ topic: z.string() }),
} as const;
export type LiveMessages = { [Name in keyof typeof liveMessages]: z.infer<(typeof liveMessages)[Name]> };
export type LiveMessage = {
  [Name in keyof LiveMessages]: { event: Name; data: LiveMessages[Name] };
}[keyof LiveMessages];
