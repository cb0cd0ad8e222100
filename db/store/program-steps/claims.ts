import type { ProgramCall } from '../../../domain/ports/record/program-log.js';
import { type Statements, storable } from '../../statements.js';
import { untilSettled } from '../until-settled.js';

const TAKEN = ['program_steps_pkey', 'program_steps_key'];

export function claimStep(
  run: Statements,
  runId: string,
  key: string,
  epoch: number,
  call?: ProgramCall & { most: number },
): Promise<number | null> {
  return untilSettled(`claimStep ${key} of run ${runId}`, async () => {
    const [row] = await run<{ step: number | null }>(
      'claimStep',
      `with mine as (select run_id from runs where run_id = $1 for update),
           known as (select step from program_steps where run_id = $1 and key = $2),
           next as (
             select 1 + greatest(
               coalesce((select max(step) from program_steps where run_id = $1), 0),
               coalesce((select max(step) from steps where run_id = $1), 0)) as step
             from mine
           ), taken as (
             insert into program_steps (run_id, step, key, agent, wire, fingerprint, epoch, likeness)
             select $1, next.step, $2, $4, $5, $6, $7, $8 from next
             where not exists (select from known) and ($3::int is null or next.step <= $3)
             returning step
           )
           select coalesce((select step from known), (select step from taken)) as step from mine`,
      [
        ...[runId, key, call?.most ?? null, storable(call?.agent ?? ''), call?.wire ?? null],
        ...[call?.fingerprint ?? null, epoch, call?.likeness ?? null],
      ],
    ).catch((error: unknown) => {
      if (error instanceof Error && 'constraint' in error && TAKEN.includes(String(error.constraint))) return [];
      throw error;
    });
    return row === undefined ? undefined : row.step;
  });
}
