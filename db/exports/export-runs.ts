import type { ExportRow, ExportSource, Standing, LogRun, Exports } from '../../domain/ports/exports.js';
import type pg from 'pg';
import { queryError } from '../database-error.js';
import { statements } from '../statements.js';
import { episodeRecords } from './episode-records.js';
import { startLine } from './import-line.js';
import { runLine } from './run-line.js';
import { openRunRecord } from './run-record.js';

/** Runs that leaderboards over all batches count, where kind and isolation rank. */
const COUNTS =
  's.counted and not (b.verification or b.training or b.parent_batch is not null) and (r.forked_from is null or is_own_attempt(r.run_id, null))';

const FLAT = `select r.run_id, r.batch_id, b.project, b.name as batch, r.origin, r.model_name as model, r.model_kind, r.provider_model, r.agent_name as agent,
  r.task_id as task, r.sample, v.spec ->> 'profile' as profile, r.contract, r.task_hash, v.primary_metric, v.direction, base.value as baseline, r.attempt, r.seed, r.status, r.end_reason,
  coalesce(${COUNTS}, false) as counts, s.superseded, r.replaces, r.forked_from,
  r.final_evaluation, r.exit_status, r.step as steps, s.best_attempt, s.last_attempt, r.final_score, s.evaluations, s.suspects, s.isolation,
  r.backend, k.input_tokens, k.output_tokens, r.cached_tokens, r.reasoning_tokens, r.cache_write_tokens,
  trim_scale(r.cost_usd)::text as cost_usd, trim_scale(r.recorded_cost_usd)::text as recorded_cost_usd, r.recorded_calls,
  (select count(*) from model_calls c where c.run_id = r.run_id) as model_calls, r.created_at, r.started_at, r.ended_at
from runs r
join batches b on b.batch_id = r.batch_id
join task_versions v on v.content_hash = r.task_hash
left join baselines base on base.content_hash = r.task_hash
join run_tokens k on k.run_id = r.run_id
left join score_runs(true) s on s.run_id = r.run_id
where r.batch_id = $1 order by r.ordinal`;

export function createExports(pool: pg.Pool): Exports {
  const run = statements(pool, queryError);
  return {
    async runIds(batchId) {
      const rows = await run<{ id: string }>(
        'runIds',
        'select run_id as id from runs where batch_id = $1 order by ordinal',
        [batchId],
      );
      return rows.map(({ id }) => id);
    },
    async logRuns(runIds) {
      const rows = await run<Omit<LogRun, 'createdAt'> & { createdAt: Date }>(
        'logRuns',
        `select run_id as "runId", batch_id as "batchId", task_id as task, agent_name as agent, model_name as model, attempt, created_at as "createdAt"
         from runs where run_id = any ($1) order by batch_id, ordinal`,
        [runIds],
      );
      return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() }));
    },
    line: (runId) => runLine(pool, runId),
    record: (runId) => openRunRecord(pool, runId),
    episodes: (wanted) => episodeRecords(pool, wanted),
    rows: (batchId) => run<ExportRow>('rows', FLAT, [batchId]),
    async source(runId) {
      const [row] = await run<ExportSource>(
        'source',
        `select source, raw_exit_status as "rawExitStatus", model_stats as "modelStats", submission, baseline, environment, args, prompt, footers
         from imports where run_id = $1 and format = 'mlgym'`,
        [runId],
      );
      return row ?? null;
    },
    async standing(runId) {
      const [row] = await run<Standing>(
        'standing',
        `select coalesce(${COUNTS}, false) as counts, r.end_reason as "endReason", r.replaces, r.forked_from as "forkedFrom"
         from runs r join batches b on b.batch_id = r.batch_id join run_scores s on s.run_id = r.run_id where r.run_id = $1`,
        [runId],
      );
      if (row === undefined) throw new Error(`no run ${runId}`);
      return row;
    },
    startLine: () => startLine(pool),
  };
}
