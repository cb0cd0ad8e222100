import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, time } from './columns.js';

/** Machines that bear runs. All but the id is unknown until the host's worker has registered. */
export const hosts = pgTable('hosts', {
  hostId: text('host_id').primaryKey(),
  hostname: text('hostname'),
  cpus: integer('cpus'),
  memoryMb: integer('memory_mb'),
  gpus: jsonb('gpus').$type<string[]>().notNull().default([]),
  backends: jsonb('backends').$type<string[]>().notNull().default([]),
  createdAt: createdAt(),
  seenAt: time('seen_at').notNull().defaultNow(),
});
