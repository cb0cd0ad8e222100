import type { PairableRun, PairFilter, SideEnds } from '../../../domain/ports/reading/pair-pages.js';
import type { Statements } from '../../statements.js';
import { RANKED_BATCH } from '../summaries.js';

/** Runs that leaderboards count, of some batches, models or agents. */
export const pairableRuns = (
  run: Statements,
  { batches, models, agents, tasks, includeSuspect }: PairFilter,
): Promise<PairableRun[]> =>
  run<PairableRun>(
    'pairableRuns',
    `select s.run_id as "runId", s.batch_id as "batchId", s.model, s.agent, s.task, s.contract, s.attempt, r.seed::float8 as seed,
       s.best_attempt as score, s.primary_metric as metric, s.direction, base.value as baseline, base.standard_error as "standardError",
       target_of(v.spec) as target
     from score_runs($5) s join runs r on r.run_id = s.run_id join task_versions v on v.content_hash = s.task_hash
     left join baselines base on base.content_hash = s.task_hash
     where s.counted and ($1::text[] is null or s.batch_id = any ($1)) and ($2::text[] is null or s.model = any ($2))
       and ($3::text[] is null or s.agent = any ($3)) and ($4::text[] is null or s.task = any ($4))
     order by s.task, s.contract desc, s.model, s.attempt, s.created_at, s.run_id`,
    [batches, models, agents, tasks, includeSuspect],
  );

/** Nodes of a tree are not runs of their own. */
export const sideEnds = (
  run: Statements,
  { batches, models, agents, tasks }: Omit<PairFilter, 'includeSuspect'>,
): Promise<SideEnds[]> =>
  run<SideEnds>(
    'sideEnds',
    `select case when $2::text[] is not null then r.model_name when $3::text[] is not null then r.agent_name else r.batch_id end as side,
       r.end_reason as "endReason", count(*)::int as runs, trim_scale(sum(r.cost_usd))::text as "costUsd",
       coalesce(array_agg(extract(epoch from r.ended_at - r.started_at)::float8) filter (where r.ended_at is not null and r.started_at is not null), '{}') as seconds
     from runs r join batches b on b.batch_id = r.batch_id
     where ($1::text[] is null or r.batch_id = any ($1)) and ($2::text[] is null or r.model_name = any ($2))
       and ($3::text[] is null or r.agent_name = any ($3)) and ($4::text[] is null or r.task_id = any ($4))
       and ($1::text[] is not null or ${RANKED_BATCH})
       and not exists (select from runs o where o.replaces = r.run_id)
     group by 1, 2 order by 1, 3 desc, 2`,
    [batches, models, agents, tasks],
  );
