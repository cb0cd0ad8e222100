import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { END_CAUSES } from '../../domain/run/end-cause.js';
import { MODEL_KINDS, type SamplingParameters, type ToolDefinition } from '../../domain/model/model.js';
import { END_REASONS, FINAL_EVALUATIONS, RUN_STATUSES } from '../../domain/run/outcomes.js';
import { BACKENDS, LIMIT_KINDS, ORIGINS } from '../../domain/run/run.js';
import { agentConfigs } from './agent-configs.js';
import { batches } from './batches.js';
import { createdAt, money, notNegative, oneOf, time } from './columns.js';
import { ISOLATIONS } from './enums.js';
import { hosts } from './hosts.js';
import { modelConfigs } from './model-configs.js';
import { recordings } from './recordings.js';
import { taskVersions } from './task-versions.js';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

export const runs = pgTable(
  'runs',
  {
    runId: text('run_id').primaryKey(),
    batchId: text('batch_id')
      .notNull()
      .references(() => batches.batchId),
    /** Runs not played here cannot be continued. */
    origin: text('origin', { enum: ORIGINS }).notNull().default('bench'),
    shard: integer('shard').notNull(),
    ordinal: integer('ordinal').notNull(),

    modelName: text('model_name').notNull(),
    modelKind: text('model_kind', { enum: MODEL_KINDS }).notNull(),
    provider: text('provider').notNull(),
    providerModel: text('provider_model').notNull(),
    /** Null: scripted, human and replayed models have none. */
    modelConfigHash: text('model_config_hash').references(() => modelConfigs.hash),
    recordingHash: text('recording_hash').references(() => recordings.hash),
    sampling: jsonb('sampling').$type<SamplingParameters>().notNull(),
    taskId: text('task_id').notNull(),
    taskHash: text('task_hash')
      .notNull()
      .references(() => taskVersions.contentHash),
    contract: integer('contract').notNull(),
    sample: boolean('sample').notNull().default(false),
    agentName: text('agent_name').notNull(),
    agentHash: text('agent_hash')
      .notNull()
      .references(() => agentConfigs.hash),
    attempt: integer('attempt').notNull(),
    seed: bigint('seed', { mode: 'number' }).notNull(),
    maxSteps: integer('max_steps').notNull(),
    wallSeconds: integer('wall_seconds').notNull(),
    costLimitUsd: money('cost_limit_usd'),
    /** Input and output together; 0: no limit. */
    tokenLimit: bigint('token_limit', { mode: 'number' }).notNull().default(0),
    backend: text('backend', { enum: BACKENDS }).notNull(),
    gpus: integer('gpus').notNull(),
    harnessVersion: text('harness_version').notNull(),
    replaces: text('replaces').references((): AnyPgColumn => runs.runId),
    /** This run begins with that run's steps, up to `forkedAtStep`. */
    forkedFrom: text('forked_from').references((): AnyPgColumn => runs.runId),
    forkedAtStep: integer('forked_at_step'),

    status: text('status', { enum: RUN_STATUSES }).notNull().default('queued'),
    waitingSince: time('waiting_since'),
    hostId: text('host_id').references(() => hosts.hostId),
    isolation: text('isolation', { enum: ISOLATIONS }),
    epoch: integer('epoch').notNull().default(0),
    /** The attempt that may write its steps. */
    fence: text('fence'),
    workspace: text('workspace'),
    imageDigest: text('image_digest'),
    evaluatorImageDigest: text('evaluator_image_digest'),
    /** How the workspace limit is enforced; null: not at all. */
    workspaceLimit: text('workspace_limit', { enum: ['file_system', 'watched'] }),
    /** Limits that its host does not enforce; null: not begun. */
    unenforcedLimits: text('unenforced_limits', { enum: LIMIT_KINDS }).array(),

    memory: boolean('memory').notNull().default(false),
    /** Records of the task's memory when the run began; null: no memory, or not begun. */
    memoryRecords: integer('memory_records'),
    mcpTools: jsonb('mcp_tools').$type<ToolDefinition[]>(),

    /** Steps between snapshots; 0: none. */
    snapshotEvery: integer('snapshot_every').notNull().default(0),

    step: integer('step').notNull().default(0),
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cachedTokens: count('cached_tokens'),
    reasoningTokens: count('reasoning_tokens'),
    cacheWriteTokens: count('cache_write_tokens'),
    /** Part of these: kept for an hour. */
    cacheWriteHourTokens: count('cache_write_hour_tokens'),
    costUsd: money('cost_usd').notNull().default('0'),
    /** Confirmed rows of `model_calls`. */
    answeredCalls: integer('answered_calls').notNull().default(0),
    /** Imported runs: as their harness recorded it, outside `cost_usd` and `model_calls`. */
    recordedCostUsd: money('recorded_cost_usd'),
    /** The batch's budget when it last had no room for a call of this run. */
    metBudgetUsd: money('met_budget_usd'),
    /** What the next call might cost, when the run's own limit had no room for it. */
    refusedUsd: money('refused_usd'),
    recordedCalls: bigint('recorded_calls', { mode: 'number' }),
    bestScore: doublePrecision('best_score'),
    finalScore: doublePrecision('final_score'),

    endReason: text('end_reason', { enum: END_REASONS }),
    finalEvaluation: text('final_evaluation', { enum: FINAL_EVALUATIONS }),
    /** Imported runs: in their harness's words, or its reports' if empty; null: not recorded. */
    exitStatus: text('exit_status'),
    detail: text('detail'),
    /** What failed, if its agent did not; null: nothing, or unknown. */
    endCause: text('end_cause', { enum: END_CAUSES }),
    /** Version of the integrity rules that checked the run; null: not checked yet. */
    integrityVersion: integer('integrity_version'),
    note: text('note'),
    tags: text('tags').array().notNull().default([]),
    createdAt: createdAt(),
    startedAt: time('started_at'),
    endedAt: time('ended_at'),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    unique('runs_ordinal_unique').on(t.batchId, t.ordinal),
    uniqueIndex('runs_attempt_unique')
      .on(t.batchId, t.modelName, t.taskId, t.attempt)
      .where(sql`replaces is null`),
    index('runs_shard').on(t.batchId, t.shard),
    index('runs_unfinished')
      .on(t.status)
      .where(sql`status <> 'ended'`),
    /** For pages that watch. An end never changes, so other updates can stay in place. */
    index('runs_ended_at').on(t.endedAt),
    index('runs_task_model').on(t.taskId, t.modelName),
    /** A run is replaced once; its replacement may be replaced in turn. */
    uniqueIndex('runs_replaces_unique')
      .on(t.replaces)
      .where(sql`replaces is not null`),
    index('runs_host').on(t.hostId),
    index('runs_imported')
      .on(t.runId)
      .where(sql`origin <> 'bench'`),
    index('runs_unflagged')
      .on(t.runId)
      .where(sql`status = 'ended' and integrity_version is null`),
    index('runs_forked_from')
      .on(t.forkedFrom)
      .where(sql`forked_from is not null`),
    check('runs_fork', sql`(forked_from is null) = (forked_at_step is null) and forked_at_step > 0`),
    check('runs_origin', oneOf('origin', ORIGINS)),
    check('runs_imported_ended', sql`origin = 'bench' or status = 'ended'`),
    check('runs_status', oneOf('status', RUN_STATUSES)),
    check('runs_model_kind', oneOf('model_kind', MODEL_KINDS)),
    check('runs_backend', oneOf('backend', BACKENDS)),
    check('runs_isolation', oneOf('isolation', ISOLATIONS)),
    check('runs_end_reason', oneOf('end_reason', END_REASONS)),
    check('runs_end_cause', oneOf('end_cause', END_CAUSES)),
    check('runs_final_evaluation', oneOf('final_evaluation', FINAL_EVALUATIONS)),
    check(
      'runs_amounts',
      notNegative({
        money: ['cost_limit_usd', 'cost_usd', 'recorded_cost_usd', 'met_budget_usd', 'refused_usd'],
        tokens: [
          ...['token_limit', 'input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens'],
          'cache_write_tokens',
          'cache_write_hour_tokens',
        ],
      }),
    ),
    check(
      'runs_ended_has_reason',
      sql`(status = 'ended') = (end_reason is not null) and (status = 'ended') = (final_evaluation is not null)`,
    ),
  ],
);
