import type { Statements } from '../statements.js';
import { STEP_COLUMNS } from '../store/steps/records.js';
import { listEvaluations } from './runs.js';
import { isoTime } from './summaries.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

/** Steps after `afterStep`, so many at most (null: all), in order. */
export async function trajectory(
  run: Statements,
  runId: string,
  afterStep: number,
  most: number | null,
): Promise<TrajectoryStep[]> {
  const [steps, evaluations] = await Promise.all([
    run<Omit<TrajectoryStep, 'evaluations' | 'at'> & { at: Date }>(
      'trajectory',
      `select ${STEP_COLUMNS}, s.created_at as at,
         s.step <= coalesce((select r.forked_at_step from runs r where r.run_id = s.run_id), 0) as copied, trim_scale(calls.cost_usd)::text as "costUsd",
         calls.input_tokens::float8 as "inputTokens", calls.output_tokens::float8 as "outputTokens", calls.endpoint
       from steps s
       cross join lateral (
         select coalesce(sum(c.cost_usd), 0) as cost_usd, coalesce(sum(c.input_tokens), 0) as input_tokens,
           coalesce(sum(c.output_tokens), 0) as output_tokens, (array_agg(c.endpoint order by c.try desc))[1] as endpoint
         from model_calls c where c.run_id = s.run_id and c.step = s.step and c.status = 'confirmed'
       ) calls
       where s.run_id = $1 and s.step > $2
       order by s.step
       limit $3`,
      [runId, afterStep, most],
    ),
    listEvaluations(run, runId, { after: afterStep, through: most === null ? null : afterStep + most }),
  ]);
  return steps.map((row) => ({
    ...row,
    at: isoTime(row.at),
    evaluations: evaluations.filter(({ step }) => step === row.step),
  }));
}
