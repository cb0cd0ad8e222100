import type { RunKind, PastRun } from '../../domain/ports/reading/forecasts.js';
import type { Statements } from '../statements.js';

/** The latest ones tell; more would only cost. */
const LATEST = 100;

const telling = (run: string): string =>
  `${run}.status = 'ended' and ${run}.end_reason not in ('infra_error', 'config_error', 'cancelled', 'budget') and ${run}.forked_from is null
    and not exists (select from tree_nodes node where node.run_id = ${run}.run_id)`;

/**
 * Ended runs of the same model, agent and task, played here; without any, of another agent; without
 * any of the model, imports of the task.
 * Runs stopped from outside would bias what a run takes, and forks began in the middle.
 */
export async function pastRuns(run: Statements, kinds: readonly RunKind[]): Promise<PastRun[]> {
  return run<PastRun>(
    'pastRuns',
    `with kinds as (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) with ordinality k (model, agent, task, sample, nth)
     )
     select k.nth::int - 1 as nth, found.source, trim_scale(found.cost_usd)::text as "costUsd",
       found.input_tokens::float8 as "inputTokens", found.output_tokens::float8 as "outputTokens",
       found.cached_tokens::float8 as "cachedTokens", found.reasoning_tokens::float8 as "reasoningTokens",
       found.cache_write_tokens::float8 as "cacheWriteTokens",
       found.cache_write_hour_tokens::float8 as "cacheWriteHourTokens", found.ms
     from kinds k
     cross join lateral (
       (
         select 'own' as source, r.cost_usd, r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.cache_write_tokens,
           r.cache_write_hour_tokens,
           extract(epoch from r.ended_at - r.started_at)::float8 * 1000 as ms
         from runs r
         where r.task_id = k.task and r.model_name = k.model and r.agent_name = k.agent and r.sample = k.sample
           and ${telling('r')} and r.origin = 'bench'
         order by r.ended_at desc limit ${LATEST}
       )
       union all
       (
         select 'agent', r.cost_usd, r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.cache_write_tokens,
           r.cache_write_hour_tokens,
           extract(epoch from r.ended_at - r.started_at)::float8 * 1000
         from runs r
         where r.task_id = k.task and r.model_name = k.model and r.agent_name <> k.agent and r.sample = k.sample
           and ${telling('r')} and r.origin = 'bench'
           and not exists (
             select from runs o
             where o.task_id = k.task and o.model_name = k.model and o.agent_name = k.agent and o.sample = k.sample
               and ${telling('o')} and o.origin = 'bench'
           )
         order by r.ended_at desc limit ${LATEST}
       )
       union all
       (
         select 'import', r.cost_usd, r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.cache_write_tokens,
           r.cache_write_hour_tokens,
           extract(epoch from nullif(r.ended_at - r.started_at, interval '0'))::float8 * 1000
         from runs r
         where r.task_id = k.task and not k.sample and ${telling('r')} and r.origin <> 'bench' and r.input_tokens > 0
           and not exists (
             select from runs o
             where o.task_id = k.task and o.model_name = k.model and o.sample = k.sample
               and ${telling('o')} and o.origin = 'bench'
           )
         order by r.run_id limit ${LATEST}
       )
     ) found
     order by k.nth`,
    [
      kinds.map(({ model }) => model),
      kinds.map(({ agent }) => agent),
      kinds.map(({ task }) => task),
      kinds.map(({ sample }) => sample),
    ],
  );
}
