import { sql } from 'drizzle-orm';
import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.js';

/** 32 random bytes in hex, for the evaluators' seeds. Only workers may read it (see roles.ts). */
export const evaluatorKey = pgTable('evaluator_key', { key: text('key').notNull(), createdAt: createdAt() }, () => [
  uniqueIndex('evaluator_key_one').on(sql`(true)`),
]);

/** For the credentials of trainers' endpoints, which servers encrypt and workers decrypt. */
export const sealingKey = pgTable('sealing_key', { key: text('key').notNull(), createdAt: createdAt() }, () => [
  uniqueIndex('sealing_key_one').on(sql`(true)`),
]);
