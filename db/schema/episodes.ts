import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgSequence, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import type { EpisodeAction, ResetRequest } from '../../domain/requests/episode.js';
import type { EpisodeOutcome } from '../../domain/episodes/outcome.js';
import { createdAt, milliseconds, time } from './columns.js';
import { runs } from './runs.js';

/** Runs that trainers play, and what trainers said of them. */
export const episodes = pgTable(
  'episodes',
  {
    runId: text('run_id')
      .primaryKey()
      .references(() => runs.runId),
    /** The trainer's own id; else the run's. */
    episodeId: text('episode_id').notNull().unique('episodes_episode_id_unique'),
    protocol: text('protocol').notNull(),
    /** Hash of the client's session key, where the protocol has sessions; its latest episode is what the session plays. */
    session: text('session'),
    reset: jsonb('reset').$type<ResetRequest>().notNull(),
    /** How it is rewarded, as `episode_rewards` takes it. */
    reward: jsonb('reward').$type<Record<string, unknown>>().notNull(),
    groupKey: text('group_key'),
    labels: jsonb('labels').$type<Record<string, unknown>>().notNull(),
    policyVersion: integer('policy_version'),
    /** Of the last action that was taken; 0: none. */
    seq: integer('seq').notNull().default(0),
    /** Turn that the next action answers. */
    nextStep: integer('next_step').notNull(),
    nextTry: integer('next_try').notNull().default(0),
    deadlineAt: time('deadline_at'),
    /** How often `validate` is scored; null: as often as it is asked for. */
    maxValidations: integer('max_validations'),
    /** Seconds without a request after which it is given up. */
    idleSeconds: integer('idle_seconds').notNull(),
    expiresAt: time('expires_at').notNull(),
    /** Since when its workflow should run; null: no client has seen its first observation. */
    requestedAt: time('requested_at'),
    /** Since when its client is gone; null: it is there, or was never missed. */
    detachedAt: time('detached_at'),
    /** How long the reset took, the wait for a place included. */
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

/** What trainers did, and what came of it: an action answers one turn of its run. */
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
    /** What its command has printed so far, its end alone; null: nothing was asked for yet. */
    printed: text('printed'),
    /** When the policy asked for its command to be interrupted. */
    interruptedAt: time('interrupted_at'),
    createdAt: createdAt(),
    settledAt: time('settled_at'),
    /** When the client was known to have read the outcome; null: it may have been lost on its way. */
    deliveredAt: time('delivered_at'),
  },
  (t) => [
    primaryKey({ name: 'episode_actions_pkey', columns: [t.runId, t.seq] }),
    unique('episode_actions_turn_unique').on(t.runId, t.step, t.try),
  ],
);

/** Positions of episodes in their batches, which are never full: no counter that resets would wait for. */
export const episodeOrdinals = pgSequence('episode_ordinals');
