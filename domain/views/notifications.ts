import { z } from 'zod';
import { NOTIFICATION_FORMATS, NOTIFICATION_KINDS } from '../home/notifications.js';
import { batchSummarySchema } from './batches.js';
import { batchIdSchema, countSchema, timeSchema } from './values.js';

/** What a webhook of the format `json` receives. */
const notificationBodySchema = z
  .strictObject({
    id: z.string().describe('equal when the same is sent again'),
    event: z.enum([...NOTIFICATION_KINDS.map((kind) => `batch.${kind}` as const), 'test']),
    at: timeSchema.describe('of this try'),
    text: z.string().describe('a line for people'),
    batch: batchSummarySchema
      .extend({
        byStatus: z.record(z.string(), countSchema).describe('runs by status'),
        byEndReason: z.record(z.string(), countSchema).describe('runs by end reason'),
      })
      .meta({ id: 'NotifiedBatch' })
      .nullable()
      .describe('null: a test'),
  })
  .meta({ id: 'Notification' });
export type NotificationBody = z.infer<typeof notificationBodySchema>;

const notificationRowSchema = z
  .strictObject({
    notificationId: z.string(),
    batchId: batchIdSchema,
    kind: z.enum(NOTIFICATION_KINDS),
    state: z.enum(['waiting', 'sent', 'given_up']),
    tries: countSchema,
    createdAt: timeSchema,
    sentAt: timeSchema.nullable(),
    dueAt: timeSchema.nullable().describe('of the next try'),
    error: z.string().nullable().describe('of the last try'),
  })
  .meta({ id: 'StoredNotification' });
export type NotificationRow = z.infer<typeof notificationRowSchema>;

const webhookSchema = z
  .strictObject({
    host: z.string().describe('of the address, whose path may be secret'),
    format: z.enum(NOTIFICATION_FORMATS),
    on: z.array(z.enum(NOTIFICATION_KINDS)),
    stallSeconds: countSchema,
    signed: z.boolean(),
  })
  .meta({ id: 'Webhook' });

export const notificationsDocumentSchema = z
  .strictObject({
    webhook: webhookSchema.nullable().describe('null: BENCH_NOTIFY_URL is not set'),
    notifications: z.array(notificationRowSchema),
  })
  .meta({ id: 'Notifications' });
export type NotificationsDocument = z.infer<typeof notificationsDocumentSchema>;

export const notificationTestSchema = z.strictObject({
  ok: z.boolean(),
  webhook: webhookSchema,
  error: z.string().nullable(),
});
export type NotificationTest = z.infer<typeof notificationTestSchema>;
