import { bigint, integer, jsonb, pgTable, real, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** Machines that execute runs. All but the id is unknown until the host's worker has registered. */
export const hosts = pgTable('hosts', {
  hostId: text('host_id').primaryKey(),
  hostname: text('hostname'),
  cpus: integer('cpus'),
  memoryMb: integer('memory_mb'),
  gpus: jsonb('gpus').$type<string[]>().notNull().default([]),
  backends: jsonb('backends').$type<string[]>().notNull().default([]),
  createdAt: createdAt(),
  seenAt: time('seen_at').notNull().defaultNow(),

  /** The home behind it. */
  homeId: text('home_id'),
  roles: jsonb('roles').$type<string[]>().notNull().default([]),
  version: text('version'),
  slots: integer('slots'),
  memoryForRunsMb: integer('memory_for_runs_mb'),
  memoryFreeMb: integer('memory_free_mb'),
  diskTotalMb: bigint('disk_total_mb', { mode: 'number' }),
  diskFreeMb: bigint('disk_free_mb', { mode: 'number' }),
  /** In use by processes of others. */
  busyGpus: jsonb('busy_gpus').$type<string[]>().notNull().default([]),
  heartbeatSeconds: real('heartbeat_seconds').notNull().default(10),
  /** It has registered without a gap since then. */
  aliveSince: time('alive_since').notNull().defaultNow(),
  /** Since when it registers without reaching Temporal: that is no sign of life. Null: it reaches both servers. */
  cutOffAt: time('cut_off_at'),
  /** Why it takes no new runs. */
  pauseReason: text('pause_reason'),
  drainedAt: time('drained_at'),
  /** When it leaves, by the settings of its worker; null: it stays. */
  leavesAt: time('leaves_at'),
  /** Since when it hands its runs on, to leave. */
  leavingAt: time('leaving_at'),
  /** When its runs were moved to other hosts; null again once it has removed what was left of them. */
  lostAt: time('lost_at'),
  removedAt: time('removed_at'),

  /** Temporal namespace that its worker polls. */
  namespaceId: text('namespace_id'),
  /** The same for people: name and address, as that machine sees them. */
  namespaceAt: text('namespace_at'),
  /** The database's user that its worker is; one of host_invitations if it was invited. */
  databaseUser: text('database_user'),
});
