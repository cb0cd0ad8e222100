import type pg from 'pg';
import type { StepReward } from '../../domain/episodes/action-outcome.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import { storeError } from '../database-error.js';
import { preparedStatements } from '../statements.js';

/**
 * An action's reward by episode_rewards(); the end counts as a step that never began. Without an
 * evaluation or penalty, nothing is paid before the end, so nothing is computed.
 */
export function stepRewards(pool: pg.Pool): Episodes['stepReward'] {
  const run = preparedStatements(pool, storeError);
  return async (runId, seq) => {
    const [row] = await run<StepReward>(
      'stepReward',
      `select paid.reward, coalesce(paid.parts, '{}'::jsonb) as parts, given.parts as given, paid.fault
       from episodes e join runs r on r.run_id = e.run_id
       left join episode_actions a on a.run_id = e.run_id and a.seq = $2
       cross join lateral (
         with rows as materialized (
           select w.step, w.reward, w.parts, w.fault from episode_rewards(array[e.run_id], e.reward, true) w
           where w.step >= coalesce(a.step, 0) and (
             r.status = 'ended' or e.reward ->> 'format_penalty' is not null
             or exists (select from evaluations v where v.run_id = e.run_id and v.step >= a.step)
           )
         )
         select sum(w.reward order by w.step) as reward,
           case when r.status = 'ended' then (array_agg(w.fault order by w.step desc))[1] end as fault,
           (
             select jsonb_object_agg(p.part, p.amount) from (
               select k.key as part, sum(k.value::float8 order by x.step) as amount
               from rows x, jsonb_each_text(x.parts) k group by k.key
             ) p
           ) as parts
         from rows w
       ) paid
       left join lateral (
         select jsonb_object_agg(p.part, p.amount) as parts from (
           select k.key as part, sum(k.value::float8 order by b.seq) as amount
           from episode_actions b, jsonb_each_text(b.outcome -> 'rewardParts') k
           where b.run_id = a.run_id and b.step = a.step and b.seq < a.seq group by k.key
         ) p
       ) given on true
       where e.run_id = $1`,
      [runId, seq],
    );
    return row ?? { reward: null, parts: {}, given: null, fault: null };
  };
}
