import type { OpenStep } from '../../../domain/ports/record/program-log.js';
import { type Statements, storable } from '../../statements.js';
import { closeCalls } from '../open-calls.js';

export async function openSteps(run: Statements, runId: string): Promise<OpenStep[]> {
  return run<OpenStep>(
    'openSteps',
    `select s.step, array(select call ->> 'id' from jsonb_array_elements(c.tool_calls) call) as calls
         from steps s join model_calls c on c.run_id = s.run_id and c.step = s.step and c.status = 'confirmed'
         where s.run_id = $1 and s.observation is null and jsonb_typeof(c.tool_calls) = 'array'
         order by s.step`,
    [runId],
  );
}

export async function observe(run: Statements, runId: string, step: number, observation: string): Promise<void> {
  await run(
    'observe',
    `update steps set observation = $3, executed_at = now(), output_bytes = octet_length($3)
         where run_id = $1 and step = $2 and observation is null`,
    [runId, step, storable(observation)],
  );
}

export async function giveUpCalls(run: Statements, runId: string): Promise<void> {
  await closeCalls(run, [runId]);
  await run(
    'giveUpCallsSteps',
    `insert into steps (run_id, step, response, thought, action, observation, executed_at)
         select p.run_id, p.step, '', '', null, '[the answer was lost]', now()
         from program_steps p
         where p.run_id = $1 and p.fingerprint is not null
           and not exists (select from steps s where s.run_id = p.run_id and s.step = p.step)
         on conflict do nothing`,
    [runId],
  );
}
