import type { Statements } from '../statements.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { LeaderboardRun } from '../../domain/views/leaderboard-run.js';
import { RANKED_BATCH } from './summaries.js';

/** Runs as leaderboard_scores() selects them, sorted by task, model, attempt. */
export async function leaderboardRuns(run: Statements, { comparison, tasks }: Leaderboard): Promise<LeaderboardRun[]> {
  const rows = await run<Omit<LeaderboardRun, 'createdAt'> & { createdAt: Date }>(
    'leaderboardRuns',
    `with selected as (
       select s.*, r.origin, r.recorded_cost_usd, b.created_at as batch_created_at,
         s.counted and coalesce(
           row_number() over (
             partition by s.model, s.model_kind, s.isolation, s.task, s.counted
             order by b.created_at, s.batch_id, s.attempt, s.ordinal
           ) <= $5::int,
           true
         ) as taken
       from score_runs($6) s
       join unnest($2::text[], $3::int[]) t (task, contract) on t.task = s.task and t.contract = s.contract
       join batches b on b.batch_id = s.batch_id
       join runs r on r.run_id = s.run_id
       join task_versions v on v.content_hash = r.task_hash
       join versions_under($8) u on u.content_hash = r.task_hash
       where (r.sample = $7 or v.spec -> 'data' is null) and (case when $1::text is null then ${RANKED_BATCH} else s.batch_id = $1 end)
         and s.model = any ($4)
         and (r.forked_from is null or is_own_attempt(r.run_id, $1))
     )
     select
       s.run_id as "runId", s.batch_id as "batchId", s.origin, s.model, s.model_kind as kind, s.isolation, s.task,
       s.attempt, s.status, s.end_reason as "endReason", x.status as "exitStatus",
       coalesce(x.labels, '{}') as "exitLabels", x.outcome,
       s.best_attempt as best, s.last_attempt as last, q.best_attempt_of_all as "bestOfAll", s.taken as counted, s.superseded,
       s.evaluations::int as evaluations, s.suspects::int as suspect,
       array(select m.rule from integrity_flags m where m.run_id = s.run_id order by m.rule) as flags, s.steps,
       trim_scale(case s.origin when 'bench' then s.cost_usd when 'import' then coalesce(s.recorded_cost_usd, s.cost_usd) else s.recorded_cost_usd end)::text as "costUsd",
       s.input_tokens::float8 as "inputTokens", s.output_tokens::float8 as "outputTokens", s.created_at as "createdAt"
     from selected s left join run_exits x on x.run_id = s.run_id
       left join run_results q on q.run_id = s.run_id
     order by s.task, s.model, s.model_kind, s.isolation, s.batch_created_at, s.batch_id, s.attempt, s.ordinal`,
    [
      comparison.batchId,
      tasks.map(({ task }) => task),
      tasks.map(({ contract }) => contract),
      comparison.models,
      comparison.k,
      comparison.include.includes('suspect'),
      comparison.sample,
      comparison.profile,
    ],
  );
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
