import { pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** Machines that may join. The token is the password of the database's user, so PostgreSQL refuses one that is revoked or has expired. */
export const hostInvitations = pgTable('host_invitations', {
  databaseUser: text('database_user').primaryKey(),
  hostId: text('host_id').notNull(),
  createdAt: createdAt(),
  /** No machine may join by it any more; one that has joined stays. */
  expiresAt: time('expires_at').notNull(),
  joinedAt: time('joined_at'),
  revokedAt: time('revoked_at'),
});
