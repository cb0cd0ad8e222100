import type { PairableRun } from '../../../domain/ports/reading/pair-pages.js';
import type { Statements } from '../../statements.js';

/** Runs that leaderboards count, of some batches or models. */
export const pairableRuns = (
  run: Statements,
  {
    batches,
    models,
    tasks,
    includeSuspect,
  }: Record<'batches' | 'models' | 'tasks', string[] | null> & {
    includeSuspect: boolean;
  },
): Promise<PairableRun[]> =>
  run<PairableRun>(
    'pairableRuns',
    `select s.run_id as "runId", s.batch_id as "batchId", s.model, s.task, s.contract, s.attempt, r.seed::float8 as seed,
       s.best_attempt as score, s.primary_metric as metric, s.direction, base.value as baseline, base.standard_error as "standardError"
     from score_runs($4) s join runs r on r.run_id = s.run_id left join baselines base on base.content_hash = s.task_hash
     where s.counted and ($1::text[] is null or s.batch_id = any ($1)) and ($2::text[] is null or s.model = any ($2))
       and ($3::text[] is null or s.task = any ($3))
     order by s.task, s.contract desc, s.model, s.attempt, s.created_at, s.run_id`,
    [batches, models, tasks, includeSuspect],
  );
