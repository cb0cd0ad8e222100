import type { GainSpread, MeanGain } from '../../domain/ports/reading/forecasts.js';
import type { Statements } from '../statements.js';
import { OWN_RUN } from './summaries.js';

/** Of best evaluations; $1: models, $2: tasks. */
const GAINS = `gains as (
       select r.model_name = any ($1::text[]) and r.origin = 'bench' as own, r.model_name, r.agent_name, r.task_id, r.contract, r.sample,
         attempt_gain(t.best_attempt, v.direction, b.value, b.standard_error, target_of(v.spec)) as gain
       from runs r
       join task_versions v on v.content_hash = r.task_hash
       join baselines b on b.content_hash = r.task_hash
       left join run_results t on t.run_id = r.run_id
       where r.task_id = any ($2::text[]) and r.status = 'ended'
         and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error') and r.forked_from is null and ${OWN_RUN}
     )`;

/** Null: no task with a baseline and a target was played more than once. */
export async function gainSpread(
  run: Statements,
  { models, tasks }: { models: readonly string[]; tasks: readonly string[] },
): Promise<GainSpread | null> {
  const [found] = await run<GainSpread>(
    'gainSpread',
    `with ${GAINS},
     cells as (
       select own, var_samp(gain) * (count(*) - 1) as squares, count(*) - 1 as freedom, count(*) as attempts
       from gains where gain is not null
       group by own, model_name, agent_name, task_id, contract, sample having count(*) > 1
     )
     select sqrt(sum(squares) / sum(freedom))::float8 as spread, sum(attempts)::int as attempts, sum(freedom)::int as freedom, own
     from cells group by own order by own desc limit 1`,
    [models, tasks],
  );
  return found ?? null;
}

/** Of models that have played each of these tasks with one of these agents. */
export async function meanGains(
  run: Statements,
  { models, agents, tasks }: { models: readonly string[]; agents: readonly string[]; tasks: readonly string[] },
): Promise<MeanGain[]> {
  return run<MeanGain>(
    'meanGains',
    `with ${GAINS},
     cells as (
       select model_name, task_id, avg(gain) as mean, count(*) as attempts
       from gains where own and not sample and agent_name = any ($3::text[]) and gain is not null group by 1, 2
     )
     select model_name as model, avg(mean)::float8 as mean, sum(1.0 / attempts)::float8 as "inverseAttempts"
     from cells group by 1 having count(*) = cardinality($2::text[])`,
    [models, tasks, agents],
  );
}
