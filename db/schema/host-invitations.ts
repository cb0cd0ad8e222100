import { pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** The token is the user's password, so PostgreSQL refuses a revoked or expired one. */
export const hostInvitations = pgTable('host_invitations', {
  databaseUser: text('database_user').primaryKey(),
  hostId: text('host_id').notNull(),
  createdAt: createdAt(),
  /** For joining; a machine that has joined stays. */
  expiresAt: time('expires_at').notNull(),
  joinedAt: time('joined_at'),
  revokedAt: time('revoked_at'),
});
