import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { BenchError } from '../domain/errors.js';
import type { RunDefinition } from '../domain/run/run.js';

/**
 * Gives new forks their first steps, with evaluations (so that scores and numbers continue) and
 * snapshots, but without the cost of model calls. Throws BenchError (usage) if the original lacks
 * these steps.
 */
export async function copyForkedSteps(
  tx: Pick<NodePgDatabase, 'execute'>,
  submitted: readonly RunDefinition[],
): Promise<void> {
  const ids = submitted.filter((run) => run.forkedFrom !== undefined).map((run) => run.runId);
  if (ids.length === 0) return;
  const forks = sql`(select run_id, forked_from, forked_at_step from runs where run_id in ${ids}) f`;
  await tx.execute(sql`
    insert into steps (run_id, step, response, thought, action, model_ms, created_at, observation, exit_code, timed_out,
      lost, output_bytes, requested, working_dir, tool_state, command_ms, executed_at, reasoning)
    select f.run_id, s.step, s.response, s.thought, s.action, s.model_ms, s.created_at, s.observation, s.exit_code,
      s.timed_out, s.lost, s.output_bytes, s.requested, s.working_dir, s.tool_state, s.command_ms, s.executed_at, s.reasoning
    from ${forks} join steps s on s.run_id = f.forked_from and s.step <= f.forked_at_step and s.executed_at is not null`);
  await tx.execute(sql`
    insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message,
      submission_sha256, isolation, evaluator_version, contract, ms, created_at, ended_at)
    select f.run_id, e.step, e.kind, e.split, e.number, case e.status when 'not_run' then 'pending' else e.status end, e.metrics, e.primary_score, e.suspect, e.message,
      e.submission_sha256, e.isolation, e.evaluator_version, e.contract, e.ms, e.created_at,
      case e.status when 'not_run' then null else e.ended_at end
    from ${forks} join evaluations e on e.run_id = f.forked_from and e.step <= f.forked_at_step
      -- With those whose test is pending, or was when the run ended: the fork evaluates it too.
      and e.kind = 'validate' and (e.status not in ('pending', 'not_run') or e.submission_sha256 is not null)`);
  await tx.execute(sql`
    insert into images (run_id, image_id, step, type, bytes)
    select f.run_id, i.image_id, i.step, i.type, i.bytes
    from ${forks} join images i on i.run_id = f.forked_from and i.step <= f.forked_at_step`);
  // The last of several containers after one step counts. Epoch 0: not the fork's own.
  await tx.execute(sql`
    insert into snapshots (run_id, step, epoch, artifact, bytes, disk, disk_host, archive_requested_at, reason)
    select distinct on (f.run_id, p.step) f.run_id, p.step, 0, p.artifact, p.bytes, p.disk, p.disk_host, p.archive_requested_at,
      p.reason
    from ${forks} join snapshots p on p.run_id = f.forked_from and p.step <= f.forked_at_step
    order by f.run_id, p.step, p.epoch desc`);
  const short = await tx.execute<{ origin: string; step: number; taken: number }>(sql`
    with counted as (
      select f.*, (select count(*)::int from steps s where s.run_id = f.run_id) as taken,
        o.memory_records
      from ${forks} join runs o on o.run_id = f.forked_from
    ), placed as (
      update runs r set step = c.forked_at_step, memory_records = c.memory_records
      from counted c where r.run_id = c.run_id
    )
    select forked_from as origin, forked_at_step as step, taken from counted where taken < forked_at_step limit 1`);
  const [bad] = short.rows;
  if (bad !== undefined)
    throw new BenchError('usage', `run ${bad.origin} has not completed step ${bad.step}, only ${bad.taken}`, {
      code: 'run.not_forkable',
      remedy: `Choose an earlier step: \`bench trajectory ${bad.origin}\` shows them.`,
    });
}
