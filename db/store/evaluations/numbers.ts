import type { EvaluationRecord } from '../../../domain/run/run.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../missing.js';
import { untilSettled } from '../until-settled.js';

export async function evaluationNumber(
  run: Statements,
  runId: string,
  step: number,
  kind: EvaluationRecord['kind'],
): Promise<number> {
  return untilSettled(`evaluationNumber of run ${runId}, step ${step}`, async () => {
    const [row] = await run<{ number: number | null; known: boolean }>(
      'evaluationNumber',
      `with known as (
             select number from evaluations where run_id = $1 and step = $2 and kind = $3 and split = 'test'
           ), mine as (
             -- The run's end waits for this, or this for it: one of them sees the other.
             select run_id, status = 'ended' as ended, task_hash, contract from runs
             where run_id = $1 and not exists (select from known) for no key update
           ), added as (
             insert into evaluations (run_id, step, kind, number, evaluator_version, contract, status, ended_at)
             select r.run_id, $2::int, $3,
               coalesce((select max(e.number) from evaluations e where e.run_id = $1 and e.split = 'test'), 0) + 1,
               r.task_hash, r.contract, case when r.ended then 'not_run' else 'pending' end, case when r.ended then now() end
             from mine r
             on conflict do nothing
             returning number
           )
           select coalesce((select number from known), (select number from added)) as number,
             exists (select from runs where run_id = $1) as known`,
      [runId, step, kind],
    );
    if (row?.known === false) throw missingRun(runId);
    return row?.number ?? undefined;
  });
}
