import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgSequence, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import type { EpisodeAction, ResetRequest } from '../../domain/requests/episode.js';
import type { EpisodeOutcome } from '../../domain/episodes/action-outcome.js';
import { createdAt, milliseconds, time } from './columns.js';
import { runs } from './runs.js';

export const episodes = pgTable(
  'episodes',
  {
    runId: text('run_id')
      .primaryKey()
      .references(() => runs.runId),
    /** The trainer's own id; else the run's. */
    episodeId: text('episode_id').notNull().unique('episodes_episode_id_unique'),
    protocol: text('protocol').notNull(),
    /** Hash of a client's session key; the session plays its latest episode. */
    session: text('session'),
    reset: jsonb('reset').$type<ResetRequest>().notNull(),
    /** As `episode_rewards` takes it. */
    reward: jsonb('reward').$type<Record<string, unknown>>().notNull(),
    groupKey: text('group_key'),
    labels: jsonb('labels').$type<Record<string, unknown>>().notNull(),
    policyVersion: integer('policy_version'),
    seq: integer('seq').notNull().default(0),
    /** Turn that the next action answers. */
    nextStep: integer('next_step').notNull(),
    nextTry: integer('next_try').notNull().default(0),
    deadlineAt: time('deadline_at'),
    /** Limit of scored validations; null: none. */
    maxValidations: integer('max_validations'),
    idleSeconds: integer('idle_seconds').notNull(),
    expiresAt: time('expires_at').notNull(),
    /** Since when its workflow should run; null: no client has seen its first observation. */
    requestedAt: time('requested_at'),
    /** Null: its client is present, or was never missed. */
    detachedAt: time('detached_at'),
    /** Including the wait for a place. */
    resetMs: milliseconds('reset_ms'),
    createdAt: createdAt(),
  },
  (t) => [
    index('episodes_expires').on(t.expiresAt),
    index('episodes_session')
      .on(t.session)
      .where(sql`session is not null`),
    index('episodes_group')
      .on(t.groupKey)
      .where(sql`group_key is not null`),
  ],
);

export const episodeActions = pgTable(
  'episode_actions',
  {
    runId: text('run_id')
      .notNull()
      .references(() => episodes.runId),
    seq: integer('seq').notNull(),
    step: integer('step').notNull(),
    try: integer('try').notNull(),
    action: jsonb('action').$type<EpisodeAction | { malformed: string }>().notNull(),
    policyVersion: integer('policy_version'),
    /** Null: still running, or not polled since. */
    outcome: jsonb('outcome').$type<EpisodeOutcome>(),
    /** End of the command's output; null: not requested yet. */
    printed: text('printed'),
    interruptedAt: time('interrupted_at'),
    createdAt: createdAt(),
    settledAt: time('settled_at'),
    /** When the client had certainly read the outcome; null: it may have been lost. */
    deliveredAt: time('delivered_at'),
  },
  (t) => [
    primaryKey({ name: 'episode_actions_pkey', columns: [t.runId, t.seq] }),
    unique('episode_actions_turn_unique').on(t.runId, t.step, t.try),
  ],
);

/** Positions in their batches, which never fill: resets need not wait for a counter. */
export const episodeOrdinals = pgSequence('episode_ordinals');
