import type { Json } from '../../../domain/gateway/json.js';
import type { ProgramCall } from '../../../domain/ports/record/program-log.js';
import { type Statements, storable } from '../../statements.js';

export async function takeAnswer(
  run: Statements,
  runId: string,
  fingerprint: string,
  epoch: number,
): Promise<{ step: number; answer: Json } | null> {
  const [row] = await run<{ step: number; answer: Json }>(
    'takeAnswer',
    `update program_steps set delivered_at = now(), replayed_epoch = case when epoch < $3 then $3 else replayed_epoch end
         where run_id = $1 and delivered_at is null and step = (
           select step from program_steps
           where run_id = $1 and fingerprint = $2 and answer is not null and client_disconnected and delivered_at is null
           order by step limit 1
         )
         returning step, answer`,
    [runId, fingerprint, epoch],
  );
  return row ?? null;
}

export async function replayAnswer(
  run: Statements,
  runId: string,
  epoch: number,
  { agent, fingerprint, likeness }: Omit<ProgramCall, 'wire'>,
): Promise<{ step: number; answer: Json } | null> {
  // It is asked under another fingerprint now, and may break off again.
  const [row] = await run<{ step: number; answer: Json }>(
    'replayAnswer',
    `update program_steps set replayed_epoch = $2, fingerprint = $4, client_disconnected = false, delivered_at = null
         where run_id = $1 and step = (
           select step from program_steps
           where run_id = $1 and agent = $3 and likeness = $5 and answer is not null and not abandoned
             and epoch < $2 and replayed_epoch is distinct from $2
           order by step limit 1 for update skip locked
         )
         returning step, answer`,
    [runId, epoch, storable(agent), fingerprint, likeness],
  );
  return row ?? null;
}

export async function replayValidation(
  run: Statements,
  runId: string,
  epoch: number,
  number: number,
): Promise<number | null> {
  const [row] = await run<{ step: number }>(
    'replayValidation',
    `update program_steps set replayed_epoch = $2
         where run_id = $1 and step = (
           select p.step from program_steps p join steps s on s.run_id = p.run_id and s.step = p.step
           where p.run_id = $1 and p.key like 'validate-%-' || $3::int and p.epoch < $2 and not p.abandoned
             and s.observation <> ''
           order by p.step desc limit 1
         ) and not exists (
           select from program_steps p where p.run_id = $1 and p.epoch = $2 and p.fingerprint is not null
         )
         returning step`,
    [runId, epoch, number],
  );
  return row?.step ?? null;
}

export async function leaveRecord(run: Statements, runId: string, epoch: number, agent: string): Promise<number> {
  const left = await run<{ answered: boolean }>(
    'leaveRecord',
    `update program_steps set abandoned = true
         where run_id = $1 and epoch < $2 and replayed_epoch is distinct from $2 and not abandoned
           and (agent = $3 and fingerprint is not null or key like 'validate-%')
         returning answer is not null as answered`,
    [runId, epoch, storable(agent)],
  );
  return left.filter(({ answered }) => answered).length;
}
