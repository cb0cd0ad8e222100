import { bigint, integer, jsonb, pgTable, real, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** Only the id is known until the host's worker has registered. */
export const hosts = pgTable('hosts', {
  hostId: text('host_id').primaryKey(),
  hostname: text('hostname'),
  cpus: integer('cpus'),
  memoryMb: integer('memory_mb'),
  gpus: jsonb('gpus').$type<string[]>().notNull().default([]),
  backends: jsonb('backends').$type<string[]>().notNull().default([]),
  createdAt: createdAt(),
  seenAt: time('seen_at').notNull().defaultNow(),

  homeId: text('home_id'),
  roles: jsonb('roles').$type<string[]>().notNull().default([]),
  version: text('version'),
  slots: integer('slots'),
  memoryForRunsMb: integer('memory_for_runs_mb'),
  memoryFreeMb: integer('memory_free_mb'),
  diskTotalMb: bigint('disk_total_mb', { mode: 'number' }),
  diskFreeMb: bigint('disk_free_mb', { mode: 'number' }),
  busyGpus: jsonb('busy_gpus').$type<string[]>().notNull().default([]),
  heartbeatSeconds: real('heartbeat_seconds').notNull().default(10),
  /** It has registered without a gap since then. */
  aliveSince: time('alive_since').notNull().defaultNow(),
  /** Registers without reaching Temporal, which is no sign of life. Null: it reaches both. */
  cutOffAt: time('cut_off_at'),
  pauseReason: text('pause_reason'),
  drainedAt: time('drained_at'),
  /** By its worker's settings; null: it stays. */
  leavesAt: time('leaves_at'),
  leavingAt: time('leaving_at'),
  /** Its runs moved to other hosts; null once it has removed their rest. */
  lostAt: time('lost_at'),
  removedAt: time('removed_at'),

  namespaceId: text('namespace_id'),
  /** For people: name and address, as that machine sees them. */
  namespaceAt: text('namespace_at'),
  /** Its worker's database user, in host_invitations if invited. */
  databaseUser: text('database_user'),
});
