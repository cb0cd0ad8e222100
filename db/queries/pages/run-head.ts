import type { Lineage, RunHead } from '../../../domain/views/run-head.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../../store/missing.js';
import { showRun } from '../runs.js';
import { waitingReasons } from './waiting-reasons.js';

type Facts = Pick<RunHead, 'batchName' | 'outcome' | 'taskName' | 'bestOfTask' | 'time' | 'tree'>;

export async function runHead(run: Statements, runId: string): Promise<RunHead> {
  const [detail, [facts], lineage, { waiting }] = await Promise.all([
    showRun(run, runId),
    run<Facts>(
      'runHead',
      `select b.name as "batchName", (select x.outcome from run_exits x where x.run_id = r.run_id) as outcome,
         v.name as "taskName",
         (
           select jsonb_build_object('runId', o.run_id, 'model', o.model_name, 'score', found.best_attempt)
           from runs o join run_results found on found.run_id = o.run_id
           where o.task_id = r.task_id and o.contract = r.contract and o.sample = r.sample and found.best_attempt is not null
           order by case v.direction when 'minimize' then found.best_attempt else -found.best_attempt end, o.created_at, o.run_id
           limit 1
         ) as "bestOfTask",
         coalesce(
           (select jsonb_build_object('runId', n.tree_run_id, 'node', n.node) from tree_nodes n where n.run_id = r.run_id),
           (select jsonb_build_object('runId', t.run_id, 'node', null) from trees t where t.run_id = r.run_id)
         ) as tree,
         json_build_object('modelMs', spent.model_ms, 'commandMs', spent.command_ms, 'evaluationMs', evaluated.ms,
           'otherMs', greatest(0, extract(epoch from coalesce(r.ended_at, now()) - r.started_at) * 1000
             - spent.model_ms - spent.command_ms - evaluated.ms)) as time
       from runs r join batches b on b.batch_id = r.batch_id join task_versions v on v.content_hash = r.task_hash
       cross join lateral (
         select coalesce(sum(s.model_ms), 0) as model_ms, coalesce(sum(s.command_ms), 0) as command_ms
         from steps s where s.run_id = r.run_id and s.step > coalesce(r.forked_at_step, 0)
       ) spent
       cross join lateral (
         select coalesce(sum(e.ms), 0) as ms from evaluations e
         where e.run_id = r.run_id and e.step > coalesce(r.forked_at_step, 0) and e.kind <> 'baseline'
       ) evaluated
       where r.run_id = $1`,
      [runId],
    ),
    lineageOf(run, runId),
    waitingReasons(run, runId),
  ]);
  if (facts === undefined) throw missingRun(runId);
  return { run: detail, ...facts, integrity: detail.flags, lineage, waiting };
}

type Related = NonNullable<Lineage['replaces']>;

export async function lineageOf(run: Statements, runId: string): Promise<Lineage> {
  const rows = await run<Related & { how: 'replaces' | 'replacedBy' | 'forkedFrom' | 'forks' }>(
    'lineage',
    `select related.how, o.run_id as "runId", o.model_name as model, o.status, o.end_reason as "endReason",
       o.best_score as "bestScore", related.step
     from (
       select 'replaces' as how, replaces as run_id, null::int as step from runs where run_id = $1 and replaces is not null
       union all select 'replacedBy', run_id, null from runs where replaces = $1
       union all select 'forkedFrom', forked_from, forked_at_step from runs where run_id = $1 and forked_from is not null
       union all select 'forks', run_id, forked_at_step from runs where forked_from = $1
     ) related join runs o on o.run_id = related.run_id
     order by related.step, o.created_at, o.run_id`,
    [runId],
  );
  const related = (how: string): Related[] => rows.filter((row) => row.how === how).map(({ how: _how, ...row }) => row);
  const [[replaces = null], [replacedBy = null], [forkedFrom = null]] = [
    related('replaces'),
    related('replacedBy'),
    related('forkedFrom'),
  ];
  return { runId, replaces, replacedBy, forkedFrom, forks: related('forks') };
}
