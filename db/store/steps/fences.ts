import { REFUSALS } from '../../../domain/run/outcomes.js';
import { Superseded, Stale } from '../../../domain/errors.js';
import type { RecordedStep } from '../../../domain/ports/record/steps.js';
import type { Statements } from '../../statements.js';

/** Whether the fence $n (null: none) is that of run `r`. */
export const isFenced = (n: number): string => `($${n}::text is null or r.fence is not distinct from $${n})`;

/** Whether step `s` has no action because its last reply was a refusal. */
export const REFUSED = `(s.action is null and coalesce((
  select c.finish_reason in (${REFUSALS.map((reason) => `'${reason}'`).join(', ')}) from model_calls c
  where c.run_id = s.run_id and c.step = s.step and c.status = 'confirmed' order by c.try desc limit 1), false))`;

export const superseded = (runId: string, step: number): Superseded =>
  new Superseded(`run ${runId}, step ${step}: another attempt has taken over`);

export async function takeOver(
  run: Statements,
  { runId, epoch, from, fence }: { runId: string; epoch: number; from: number; fence: string },
): Promise<RecordedStep[]> {
  const rows = await run<{ taken: boolean; current: boolean } & (RecordedStep | { step: null })>(
    'takeOver',
    // Fences of one workflow grow; others are of a restarted workflow.
    `with taken as (
           update runs r set fence = $4
           where run_id = $1 and epoch = $2 and status <> 'ended'
             and (r.fence is null or split_part(r.fence, '/', 1) <> split_part($4, '/', 1) or r.fence collate "C" <= $4)
           returning run_id
         )
         select exists (select from taken) as taken, r.epoch = $2 and r.status <> 'ended' as current,
           s.step, s.action is not null as "hasAction", ${REFUSED} as refused, s.executed_at is not null as executed, s.requested,
           coalesce(s.model_ms, 0) as "modelMs", coalesce(s.command_ms, 0) as "commandMs"
         from runs r left join steps s on s.run_id = r.run_id and s.step >= $3
         where r.run_id = $1 order by s.step`,
    [runId, epoch, from, fence],
  );
  const [first] = rows;
  if (first?.current !== true) throw new Stale(`run ${runId} has ended, or has left container ${epoch}`);
  if (!first.taken) throw superseded(runId, from);
  return rows.flatMap(({ taken: _taken, current: _current, ...step }) => (step.step === null ? [] : [step]));
}
