import type { MetricFamily } from '../../domain/metrics/prometheus.js';
import type { Statements } from '../statements.js';
import { OWN_BATCH, OWN_RUN } from './summaries.js';

type Row = { name: string; labels: Record<string, string> | null; value: number };

/** Help texts; docs/reference/metrics.md documents the names. */
const FAMILIES: [name: string, type: MetricFamily['type'], help: string][] = [
  ['bench_runs', 'gauge', 'Runs by status.'],
  ['bench_runs_ended_total', 'counter', 'Runs that ended, by end reason.'],
  ['bench_batches', 'gauge', 'Batches by status.'],
  ['bench_steps_total', 'counter', 'Steps of all runs.'],
  ['bench_evaluations_total', 'counter', 'Finished evaluations by kind and status.'],
  ['bench_evaluations_pending', 'gauge', 'Evaluations without a result yet, by kind.'],
  ['bench_model_calls_total', 'counter', 'Finished model calls by provider and status.'],
  ['bench_model_calls_in_flight', 'gauge', 'Model calls without an answer yet, by provider.'],
  ['bench_model_calls_waiting', 'gauge', 'Model calls that wait for the rate governor, by provider account.'],
  ['bench_model_tokens_total', 'counter', 'Tokens of answered model calls by provider and direction.'],
  ['bench_model_cost_usd_total', 'counter', 'Cost of answered model calls in US dollars, by provider.'],
  ['bench_gpu_leases', 'gauge', 'GPUs that runs lease, by host.'],
  ['bench_hosts', 'gauge', 'Hosts that registered in the last two minutes.'],
  ['bench_host_last_seen_age_seconds', 'gauge', 'Seconds since the last registration of a host.'],
  ['bench_rate_limit_requests_per_minute', 'gauge', 'Learned limit of requests per minute, by provider account.'],
  ['bench_rate_limit_tokens_per_minute', 'gauge', 'Learned limit of tokens per minute, by provider account.'],
  ['bench_events_total', 'counter', 'Events of runs, batches and hosts by kind: faults, retries and recoveries.'],
];

/**
 * One statement, so all figures are of one snapshot. Runs store counts of their steps and answered
 * calls; only unanswered calls are read. `npm run benchmark:leaderboard` measures it.
 */
export async function metrics(run: Statements): Promise<MetricFamily[]> {
  const rows = await run<Row>(
    'metrics',
    `with counted as materialized (
       select r.status, r.end_reason, r.provider, r.origin = 'bench' as ours, count(*) as runs, sum(r.step) as steps,
         sum(r.answered_calls) as calls, sum(r.input_tokens) as input_tokens, sum(r.output_tokens) as output_tokens,
         sum(r.cost_usd) as cost_usd
       from runs r where ${OWN_RUN} group by 1, 2, 3, 4
     ), providers as materialized (
       -- Of imported runs no call is known.
       select c.provider, sum(c.calls) as calls, sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens,
         sum(c.cost_usd) as cost_usd
       from counted c where c.ours group by c.provider having sum(c.calls) > 0
     )
     select 'bench_runs' as name, json_build_object('status', status) as labels, sum(runs)::float8 as value
       from counted group by status
     union all select 'bench_runs_ended_total', json_build_object('end_reason', end_reason), sum(runs)::float8
       from counted where status = 'ended' group by end_reason
     union all select 'bench_batches', json_build_object('status', status), count(*)::float8 from batches b where ${OWN_BATCH} group by status
     union all select 'bench_steps_total', null, coalesce(sum(steps), 0)::float8 from counted
     union all select case status when 'pending' then 'bench_evaluations_pending' else 'bench_evaluations_total' end,
       case status when 'pending' then json_build_object('kind', kind)
         else json_build_object('kind', kind, 'status', status) end, count(*)::float8
       -- Not those that wait for their test until the run ends.
       from evaluations where status not in ('pending', 'not_run') or submission_sha256 is null group by kind, status
     union all select 'bench_model_calls_total', json_build_object('provider', provider, 'status', 'confirmed'), calls::float8
       from providers
     union all select case status when 'reserved' then 'bench_model_calls_in_flight' else 'bench_model_calls_total' end,
       case status when 'reserved' then json_build_object('provider', provider)
         else json_build_object('provider', provider, 'status', status) end, count(*)::float8
       from model_calls where status <> 'confirmed' group by provider, status
     union all select 'bench_model_tokens_total', json_build_object('provider', provider, 'direction', 'input'),
       input_tokens::float8 from providers
     union all select 'bench_model_tokens_total', json_build_object('provider', provider, 'direction', 'output'),
       output_tokens::float8 from providers
     union all select 'bench_model_cost_usd_total', json_build_object('provider', provider), cost_usd::float8 from providers
     union all select 'bench_gpu_leases', json_build_object('host', host_id), count(*)::float8
       from leases where released_at is null group by host_id
     union all select 'bench_hosts', null, count(*)::float8 from hosts where seen_at > now() - interval '2 minutes'
     union all select 'bench_host_last_seen_age_seconds', json_build_object('host', host_id),
       round(extract(epoch from now() - seen_at)::numeric, 3)::float8 from hosts
     union all select 'bench_rate_limit_' || one || '_per_minute', json_build_object('account', account),
       (state #>> array['learned', one, 'limit'])::float8
       from rate_accounts cross join (values ('requests'), ('tokens')) as dimensions (one)
       where state #>> array['learned', one, 'limit'] is not null
     union all select 'bench_model_calls_waiting', json_build_object('account', account),
       (select count(*)::float8 from rate_tickets t
        where t.account = a.account and t.status = 'waiting' and t.seen_at > now() - interval '2 minutes')
       from rate_accounts a
     union all select 'bench_events_total', json_build_object('kind', kind), count(*)::float8 from events group by kind`,
    [],
  );
  return FAMILIES.map(([name, type, help]) => ({
    name,
    type,
    help,
    samples: rows
      .filter((row) => row.name === name)
      .map(({ labels, value }) => ({ ...(labels === null ? {} : { labels }), value })),
  }));
}
