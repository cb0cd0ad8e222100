import type { ModelConfig } from '../../domain/model/config.js';
import { cacheSavedUsd, priceAt } from '../../domain/model/price.js';
import type { Statements } from '../statements.js';
import { missingRun } from '../store/missing.js';
import { providerTroubles } from './provider-troubles.js';
import { isoTime, OWN_RUN, runSummary, type RunSummaryRow, summaryOfRun } from './summaries.js';
import type { EvaluationDetail, RunDetail, RunFilter, RunSummary } from '../../domain/views/runs.js';

const DEFAULT_LIMIT = 1000;

/** Newest first by default. */
export async function listRuns(
  run: Statements,
  filter: RunFilter,
  order = 'r.created_at desc, r.batch_id desc, r.ordinal',
): Promise<RunSummary[]> {
  const rows = await run<RunSummaryRow>(
    'listRuns',
    `${runSummary()}
     where case when $1::text is null then ${OWN_RUN} else r.batch_id = $1 end and ($2::text[] is null or r.model_name = any ($2))
       and ($3::text[] is null or r.task_id = any ($3)) and ($4::text[] is null or r.status = any ($4))
       and ($5::text[] is null or r.end_reason = any ($5))
       and ($6::text is null or exists (select from integrity_flags m where m.run_id = r.run_id and m.rule = $6))
       and ($8::text is null or $8 = any (r.tags))
     order by ${order} limit $7`,
    [
      filter.batchId ?? null,
      filter.models ?? null,
      filter.tasks ?? null,
      filter.statuses ?? null,
      filter.endReasons ?? null,
      filter.flag ?? null,
      filter.limit ?? DEFAULT_LIMIT,
      filter.tag ?? null,
    ],
  );
  return rows.map(summaryOfRun);
}

export async function playedNames(run: Statements): Promise<{ models: string[]; tasks: string[]; agents: string[] }> {
  const [names] = await run<{ models: string[]; tasks: string[]; agents: string[] }>(
    'playedNames',
    `select coalesce(array_agg(distinct r.model_name order by r.model_name), '{}') as models,
       coalesce(array_agg(distinct r.task_id order by r.task_id), '{}') as tasks,
       coalesce((select array_agg(distinct c.name order by c.name) from agent_configs c), '{}') as agents
     from (select distinct task_id, model_name from runs) r`,
    [],
  );
  return names ?? { models: [], tasks: [], agents: [] };
}

/** Of steps after `after` up to `through` (null: all). */
export async function listEvaluations(
  run: Statements,
  runId: string,
  { after, through }: { after: number; through: number | null },
): Promise<EvaluationDetail[]> {
  const rows = await run<Omit<EvaluationDetail, 'at'> & { at: Date }>(
    'listEvaluations',
    `select step, kind, split, number, status, metrics, primary_score as primary, suspect, message,
       case when status = 'evaluator_error' then (
         select regexp_replace(split_part(e.detail, E'\\n', 1), '^' || v.split || ': ', '') from events e
         where e.run_id = $1 and e.kind = 'evaluator_error' and e.key in (concat_ws('-', v.step, v.kind), concat_ws('-', v.step, v.kind, v.split))
         order by e.event_id desc limit 1
       ) end as fault,
       submission_sha256 as "submissionSha256", from_step as "fromStep", isolation, ms, coalesce(ended_at, created_at) as at
     from evaluations v
     where run_id = $1 and status not in ('pending', 'not_run') and step > $2 and ($3::int is null or step <= $3)
     order by number, split desc`,
    [runId, after, through],
  );
  return rows.map((row) => ({ ...row, at: isoTime(row.at) }));
}

type DetailRow = RunSummaryRow &
  Omit<RunDetail, keyof RunSummary | 'evaluationList' | 'providerError' | 'cacheSavedUsd'> & {
    prices: ModelConfig['prices'] | null;
  };

export async function showRun(run: Statements, runId: string): Promise<RunDetail> {
  const [row] = await run<DetailRow>(
    'showRun',
    `${runSummary(`r.seed::float8 as seed, r.agent_name as agent, r.agent_hash as "agentHash",
       r.task_hash as "taskHash", r.contract, r.provider, r.provider_model as "providerModel", r.sampling,
       r.wall_seconds as "wallSeconds", r.gpus, r.workspace, r.image_digest as "imageDigest",
       r.evaluator_image_digest as "evaluatorImageDigest",
       r.workspace_limit as "workspaceLimit", r.unenforced_limits as "unenforcedLimits", r.memory, r.memory_records as "memoryRecords",
       (select v.spec -> 'network' from task_versions v where v.content_hash = r.task_hash) as network,
       (select case when v.spec ? 'limits' then jsonb_build_object('workspaceMb', v.spec #> '{limits,workspaceMb}', 'memoryMb', v.spec #> '{limits,memoryMb}',
         'cpus', v.spec #> '{limits,cpus}', 'pids', v.spec #> '{limits,pids}') end
         from task_versions v where v.content_hash = r.task_hash) as limits,
       r.harness_version as "harnessVersion", r.replaces, r.shard, r.forked_from as "forkedFrom", r.forked_at_step as "forkedAtStep",
       json_build_object('inputTokens', r.input_tokens, 'outputTokens', r.output_tokens,
         'cachedTokens', r.cached_tokens, 'reasoningTokens', r.reasoning_tokens,
         'cacheWriteTokens', r.cache_write_tokens,
         'cacheWriteHourTokens', r.cache_write_hour_tokens) as usage,
       case when r.origin = 'bench' or r.origin = 'import' and r.recorded_calls is null then (select count(*) from model_calls c where c.run_id = r.run_id) else r.recorded_calls end::float8 as "modelCalls",
       (select coalesce(jsonb_agg(jsonb_build_object('endpoint', used.endpoint, 'calls', used.calls) order by used.calls desc, used.endpoint), '[]')
         from (select c.endpoint, count(*) as calls from model_calls c
           where c.run_id = r.run_id and c.endpoint is not null group by c.endpoint) used) as endpoints,
       (select count(*) from events o where o.run_id = r.run_id and o.kind = 'agent_out_of_memory')::int as "outOfMemory",
       (select m.content -> 'prices' from model_configs m where m.hash = r.model_config_hash) as prices,
       trim_scale(r.recorded_cost_usd)::text as "recordedCostUsd",
       (select base.value from baselines base where base.content_hash = r.task_hash) as baseline,
       (select base.standard_error from baselines base where base.content_hash = r.task_hash) as "baselineError"`)}
     where r.run_id = $1`,
    [runId],
  );
  if (row === undefined) throw missingRun(runId);
  const [providerError = null] = await providerTroubles(run, { runId });
  const { prices, ...detail } = row;
  const price = priceAt(prices ?? [], row.createdAt);
  return {
    ...summaryOfRun(detail),
    providerError,
    cacheSavedUsd: price === null || row.usage.cachedTokens === 0 ? null : cacheSavedUsd(price, row.usage),
    evaluationList: await listEvaluations(run, runId, { after: -1, through: null }),
  };
}
