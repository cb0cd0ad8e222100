import { type EndFacts, endingOf } from '../../domain/run/ending.js';
import { mlgymExitStatus } from '../../domain/run/outcomes.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

/** SQL for a BatchSummary of `batches b`. */
export const BATCH_SUMMARY = `
  select b.batch_id as "batchId", b.project, b.name, b.origin, b.status, b.seed::float8 as seed, b.concurrency,
    b.priority, b.training, b.paused_at as "pausedAt", b.pause_reason as "pauseReason", b.breaker,
    trim_scale(b.budget_usd)::text as "budgetUsd",
    trim_scale(b.charged_usd)::text as "chargedUsd", b.archived_at as "archivedAt", b.note, b.tags,
    totals.runs::int as runs, totals.shards::int as shards, totals.ended::int as ended, totals.steps::int as steps,
    trim_scale(totals.cost_usd)::text as "costUsd",
    b.created_at as "createdAt", b.started_at as "startedAt", b.ended_at as "endedAt"
  from batches b
  cross join lateral (
    select count(*) as runs, coalesce(max(r.shard) + 1, 0) as shards, count(*) filter (where r.status = 'ended') as ended,
      coalesce(sum(r.step), 0) as steps, coalesce(sum(r.cost_usd), 0) as cost_usd
    from runs r where r.batch_id = b.batch_id
  ) totals`;

/** Of `batches b`: nodes of search trees are shown with their tree. */
export const OWN_BATCH = 'b.parent_batch is null';
/** Of `batches b`: it counts in boards over all batches. `leaderboard_scores` has the same rule. */
export const RANKED_BATCH =
  'not (b.verification or b.training or b.parent_batch is not null or b.archived_at is not null)';
/** Of `runs r`, as OWN_BATCH. */
export const OWN_RUN = 'not exists (select from tree_nodes node where node.run_id = r.run_id)';

const RUN_SUMMARY_COLUMNS = `
  r.run_id as "runId", r.batch_id as "batchId",
  (select own.project from batches own where own.batch_id = r.batch_id) as project, r.origin, r.model_name as model, r.model_kind as "modelKind", r.task_id as task,
  r.attempt, r.status, r.end_reason as "endReason", r.final_evaluation as "finalEvaluation",
  r.exit_status as "recordedExitStatus", r.detail, r.note, r.tags,
  case when r.status = 'ended' then jsonb_build_object('wallSeconds', r.wall_seconds, 'costLimitUsd', trim_scale(r.cost_limit_usd)::text,
    'refusedUsd', trim_scale(r.refused_usd)::text, 'tokens', r.input_tokens + r.output_tokens, 'tokenLimit', r.token_limit,
    'metBudgetUsd', trim_scale(r.met_budget_usd)::text, 'contextWindow', case when r.end_reason = 'context' then
      (select c.content -> 'contextWindow' from model_configs c where c.hash = r.model_config_hash) end) end as "endFacts",
  r.step as steps, r.max_steps as "maxSteps", trim_scale(r.cost_usd)::text as "costUsd",
  v.primary_metric as primary, v.direction, r.best_score as "bestScore", r.final_score as "finalScore",
  tries.evaluations::int as evaluations, tries.suspect::int as suspect, found.flags,
  r.backend, r.isolation, r.host_id as host, r.epoch, r.sample, v.spec ->> 'profile' as profile,
  r.created_at as "createdAt", r.started_at as "startedAt", r.ended_at as "endedAt", r.updated_at as "updatedAt"`;

/** SQL for a RunSummary of `runs r`, with further columns. */
export const runSummary = (further = ''): string => `
  select ${RUN_SUMMARY_COLUMNS}${further === '' ? '' : `, ${further}`}
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  cross join lateral (
    select count(*) as evaluations, count(*) filter (where e.suspect) as suspect
    from evaluations e where e.run_id = r.run_id and e.split = 'test' and e.status not in ('pending', 'not_run')
  ) tries
  cross join lateral (
    select coalesce(
      jsonb_agg(jsonb_build_object('rule', m.rule, 'step', m.step, 'until', m.until, 'detail', m.detail) order by m.rule), '[]'
    ) as flags
    from integrity_flags m where m.run_id = r.run_id
  ) found`;

type Times<Summary> = {
  [Key in keyof Summary]: Key extends 'createdAt' | 'startedAt' | 'endedAt' | 'updatedAt' | 'pausedAt' | 'archivedAt'
    ? null extends Summary[Key]
      ? Date | null
      : Date
    : Summary[Key];
};
export type BatchSummaryRow = Times<BatchSummary>;
export type RunSummaryRow = Times<Omit<RunSummary, 'exitStatus' | 'ending'>> & {
  recordedExitStatus: string | null;
  endFacts: Omit<EndFacts, 'runId' | 'endReason' | 'detail' | 'maxSteps' | 'costUsd'> | null;
};

export const isoTime = (time: Date): string => time.toISOString();
export const isoTimeOrNull = (time: Date | null): string | null => time?.toISOString() ?? null;

export const batchSummary = (row: BatchSummaryRow): BatchSummary => ({
  ...row,
  pausedAt: isoTimeOrNull(row.pausedAt),
  archivedAt: isoTimeOrNull(row.archivedAt),
  createdAt: isoTime(row.createdAt),
  startedAt: isoTimeOrNull(row.startedAt),
  endedAt: isoTimeOrNull(row.endedAt),
});

export const summaryOfRun = <Row extends RunSummaryRow>({ recordedExitStatus, endFacts, ...row }: Row) => ({
  ...row,
  ending:
    row.endReason === null || endFacts === null ? null : endingOf({ ...row, ...endFacts, endReason: row.endReason }),
  exitStatus:
    row.endReason === null || row.finalEvaluation === null
      ? null
      : (recordedExitStatus ?? mlgymExitStatus(row.endReason, row.finalEvaluation)),
  createdAt: isoTime(row.createdAt),
  startedAt: isoTimeOrNull(row.startedAt),
  endedAt: isoTimeOrNull(row.endedAt),
  updatedAt: isoTime(row.updatedAt),
});
