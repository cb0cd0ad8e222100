import { sql } from 'drizzle-orm';
import { bigint, check, doublePrecision, index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AccountState } from '../../domain/rate-limits/account-state.js';
import { createdAt, notNegative, oneOf, time } from './columns.js';

/** Limits that all workers share. Grants are made under the row's lock. */
export const rateAccounts = pgTable(
  'rate_accounts',
  {
    /** Provider, address and the name of the key's variable, or as configured; never a key. */
    account: text('account').primaryKey(),
    provider: text('provider').notNull(),
    /** Buckets, learned limits, turns of batches: state of domain/rate-limits. */
    state: jsonb('state').$type<AccountState>().notNull(),
    /** Set by `bench limits set`, per minute; null: as declared, or none. */
    setRequests: doublePrecision('set_requests'),
    setTokens: doublePrecision('set_tokens'),
    createdAt: createdAt(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  () => [check('rate_accounts_set', sql`set_requests > 0 and set_tokens > 0`)],
);

/** Calls that wait, are in flight, ended recently, or were refused within the last hour. */
export const rateTickets = pgTable(
  'rate_tickets',
  {
    account: text('account')
      .notNull()
      .references(() => rateAccounts.account),
    ticket: text('ticket').notNull(),
    batchId: text('batch_id').notNull(),
    status: text('status', { enum: ['waiting', 'granted', 'settled', 'limited'] }).notNull(),
    /** Estimate: the prompt and the longest reply. */
    tokens: bigint('tokens', { mode: 'number' }).notNull(),
    arrivedAt: time('arrived_at').notNull(),
    seenAt: time('seen_at').notNull(),
    grantedAt: time('granted_at'),
    /** Tokens charged: an estimate, later the actual number. */
    charged: bigint('charged', { mode: 'number' }),
    endedAt: time('ended_at'),
  },
  (t) => [
    index('rate_tickets_ticket').on(t.account, t.ticket),
    uniqueIndex('rate_tickets_one_waiting')
      .on(t.account, t.ticket)
      .where(sql`status = 'waiting'`),
    index('rate_tickets_granted').on(t.account, t.grantedAt),
    index('rate_tickets_waiting')
      .on(t.account, t.arrivedAt)
      .where(sql`status = 'waiting'`),
    check('rate_tickets_status', oneOf('status', ['waiting', 'granted', 'settled', 'limited'])),
    check('rate_tickets_amounts', notNegative({ tokens: ['tokens', 'charged'] })),
  ],
);
