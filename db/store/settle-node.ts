import type pg from 'pg';
import type { EndReason } from '../../domain/run/outcomes.js';
import type { EvaluationStatus } from '../../domain/run/run.js';
import type { Direction } from '../../domain/run/score.js';
import { settledAs } from '../../domain/tree/settle.js';
import { missingRun } from './missing.js';

interface EndedRow {
  treeRunId: string;
  open: boolean;
  endReason: EndReason | null;
  direction: Direction;
  steps: number;
  status: EvaluationStatus | null;
  primary: number | null;
  suspect: boolean | null;
  submissionSha256: string | null;
  parentSha256: string | null;
}

/** A run's last evaluation as shown to its agent: on validation, where the task has it. */
export const SHOWN = `
  select e.step, e.kind, e.submission_sha256, coalesce(shown.status, e.status) as status,
    case when shown.run_id is null then e.primary_score else shown.primary_score end as primary_score,
    coalesce(shown.suspect, e.suspect) as suspect, e.status not in ('pending', 'not_run') or shown.run_id is not null as made
  from evaluations e
  left join evaluations shown on shown.run_id = e.run_id and shown.step = e.step and shown.kind = e.kind and shown.split = 'validation'
  where e.split = 'test' and e.kind <> 'baseline'`;

/** Atomic with its inputs. An ended node stays as it is. */
export async function settle(client: pg.PoolClient, nodeRunId: string): Promise<void> {
  const { rows: trees } = await client.query(
    `select t.run_id from trees t join tree_nodes n on n.tree_run_id = t.run_id where n.run_id = $1 for update of t`,
    [nodeRunId],
  );
  if (trees.length === 0) throw missingRun(nodeRunId);
  const { rows } = await client.query<EndedRow>(
    `select n.tree_run_id as "treeRunId", n.status = 'open' as open, r.end_reason as "endReason", v.direction,
       (select count(*)::int from steps s where s.run_id = r.run_id and s.step > coalesce(r.forked_at_step, 0)
         and s.executed_at is not null) as steps,
       own.status, own.primary_score as primary, own.suspect, own.submission_sha256 as "submissionSha256",
       (select p.submission_sha256 from tree_nodes up cross join lateral (${SHOWN} and e.run_id = up.run_id
          order by e.number desc limit 1) p
        where up.tree_run_id = n.tree_run_id and up.node = n.parent) as "parentSha256"
     from tree_nodes n join runs r on r.run_id = n.run_id join task_versions v on v.content_hash = r.task_hash
     left join lateral (${SHOWN} and e.run_id = r.run_id and e.step > coalesce(r.forked_at_step, 0)
       order by e.number desc limit 1) own on own.made
     where n.run_id = $1`,
    [nodeRunId],
  );
  const node = rows[0]!;
  if (!node.open) return;
  const { treeRunId, endReason, steps, status, direction } = node;
  if (endReason === null) throw new Error(`run ${nodeRunId} has not ended, so its node cannot be settled`);
  const evaluation =
    status === null
      ? null
      : { status, primary: node.primary, suspect: node.suspect === true, submissionSha256: node.submissionSha256 };
  const settled = settledAs({ endReason, steps, evaluation, parentSha256: node.parentSha256 }, direction);
  await client.query(
    `update tree_nodes n set status = $2, value = $3, validations = $4, settled_at = now(),
       spent_usd = r.cost_usd + (
         select coalesce(sum(c.reserved_usd), 0) from model_calls c
         where c.run_id = r.run_id and c.status in ('reserved', 'unconfirmed')
       ),
       spent_tokens = r.input_tokens + r.output_tokens,
       spent_seconds = (
         select coalesce(sum(coalesce(s.model_ms, 0) + coalesce(s.command_ms, 0)), 0) / 1000 from steps s
         where s.run_id = r.run_id and s.step > coalesce(r.forked_at_step, 0)
       )
     from runs r where r.run_id = n.run_id and n.run_id = $1`,
    [nodeRunId, settled.status, settled.value, evaluation === null ? 0 : 1],
  );
  // The attempt spends what its nodes spent.
  await client.query(
    `update runs t set step = k.steps, input_tokens = k.input, output_tokens = k.output, cached_tokens = k.cached,
       reasoning_tokens = k.reasoning, cache_write_tokens = k.cache_write, cache_write_hour_tokens = k.cache_hour, cost_usd = k.cost, answered_calls = k.calls,
       met_budget_usd = k.met, updated_at = now()
     from (
       select sum(r.step - coalesce(r.forked_at_step, 0)) as steps, sum(r.input_tokens) as input, sum(r.output_tokens) as output,
         sum(r.cached_tokens) as cached, sum(r.reasoning_tokens) as reasoning, sum(r.cache_write_tokens) as cache_write, sum(r.cache_write_hour_tokens) as cache_hour,
         sum(r.cost_usd) as cost, sum(r.answered_calls) as calls, max(r.met_budget_usd) as met
       from tree_nodes n join runs r on r.run_id = n.run_id where n.tree_run_id = $1
     ) k
     where t.run_id = $1`,
    [treeRunId],
  );
}
