import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { NOTIFICATION_KINDS } from '../../domain/home/notifications.js';
import { batches } from './batches.js';
import { createdAt, oneOf, time } from './columns.js';

/** Outbox of the webhook, which workers empty. */
export const notifications = pgTable(
  'notifications',
  {
    notificationId: text('notification_id').primaryKey(),
    batchId: text('batch_id')
      .notNull()
      .references(() => batches.batchId, { onDelete: 'cascade' }),
    kind: text('kind', { enum: NOTIFICATION_KINDS }).notNull(),
    /** The instance: when the batch ended, the budget that it met, when it last moved. */
    key: text('key').notNull(),
    createdAt: createdAt(),
    /** Not tried before; a worker that tries it moves this on first. */
    dueAt: time('due_at').notNull().defaultNow(),
    tries: integer('tries').notNull().default(0),
    sentAt: time('sent_at'),
    givenUpAt: time('given_up_at'),
    /** Of the last try; null: it was accepted, or there was none. */
    error: text('error'),
  },
  (t) => [
    unique('notifications_once').on(t.batchId, t.kind, t.key),
    index('notifications_due')
      .on(t.dueAt)
      .where(sql`sent_at is null and given_up_at is null`),
    check('notifications_kind', oneOf('kind', NOTIFICATION_KINDS)),
  ],
);
