import type { StoredImage } from '../../../domain/model/images.js';
import type { StepLog, Fence } from '../../../domain/ports/record/steps.js';
import type { ObservedCommand } from '../../../domain/run/run.js';
import { type Statements, storable } from '../../statements.js';
import { eventsOf, eventRows } from '../events.js';
import { missingRun } from '../missing.js';
import { submissionColumns } from '../submissions.js';
import { isFenced, superseded } from './fences.js';

export async function saveAction(
  run: Statements,
  runId: string,
  step: number,
  { response, reasoning = null, thought, action, modelMs }: Parameters<StepLog['saveAction']>[2],
  fence?: Fence,
): Promise<boolean> {
  const [row] = await run<{ known: boolean; moved: boolean; saved: boolean }>(
    'saveAction',
    `with moved as (
           update runs r set step = greatest(step, $2), updated_at = now() where run_id = $1 and ${isFenced(7)} returning run_id
         ), saved as (
           insert into steps (run_id, step, response, thought, action, model_ms, reasoning)
           select run_id, $2, $3, $4, $5, $6, $8 from moved
           on conflict (run_id, step) do nothing
           returning run_id
         )
         select exists (select from moved) as moved, exists (select from saved) as saved, exists (select from runs where run_id = $1) as known`,
    [
      ...[runId, step, storable(response), storable(thought), action === null ? null : storable(action), modelMs],
      fence?.token ?? null,
      reasoning,
    ],
  );
  if (row?.known !== true) throw missingRun(runId);
  if (!row.moved) throw superseded(runId, step);
  return row.saved;
}

export async function saveCommand(
  run: Statements,
  runId: string,
  step: number,
  command: ObservedCommand,
  { epoch, events = [], submission = null, fence }: Parameters<StepLog['saveCommand']>[3] = {},
): Promise<boolean> {
  const [row] = await run<{ known: boolean; fenced: boolean; as_given: boolean | null }>(
    'saveCommand',
    `with saved as (
           update steps set
             observation = case when observation is null then $3 else $3 || E'\\n' || observation end,
             exit_code = $4, timed_out = $5, lost = $6, output_bytes = $7, requested = $8, working_dir = $9,
             command_ms = $10, tool_state = $11::jsonb, executed_at = now()
           where run_id = $1 and step = $2 and executed_at is null
             and ($13::int is null or $13 >= (select epoch from runs where run_id = $1))
             and exists (select from runs r where r.run_id = $1 and ${isFenced(18)})
           returning run_id, observation = $3 as as_given
         ), remembered as (
           insert into memories (task_id, run_id, step, ordinal, text)
           select r.task_id, r.run_id, $2, m.ordinal, m.text
           from saved join runs r on r.run_id = saved.run_id and r.memory,
             unnest($12::text[]) with ordinality as m (text, ordinal)
           on conflict do nothing
         ), pictured as (
           insert into images (run_id, image_id, step, type, bytes)
           select saved.run_id, i.image_id, $2, i.type, i.bytes
           from saved, unnest($19::text[], $20::text[], $21::bytea[]) as i (image_id, type, bytes)
           on conflict do nothing
         ), taken as (
           insert into submissions (run_id, step, kind, sha256, missing, refused)
           select run_id, $2, $8, $15, $16::text[], $17 from saved where num_nonnulls($15::text, $16::text[], $17::text) = 1
           on conflict do nothing
         ), recorded as (${eventsOf('saved', '$14')})
         select exists (select from steps where run_id = $1 and step = $2) as known, (select as_given from saved),
           (select ${isFenced(18)} from runs r where r.run_id = $1) as fenced`,
    [
      runId,
      step,
      storable(command.observation),
      command.exitCode,
      command.timedOut,
      command.lost,
      command.outputBytes,
      command.requested,
      storable(command.workingDir),
      command.commandMs,
      command.toolState == null ? null : JSON.stringify(command.toolState),
      (command.memories ?? []).map(storable),
      epoch ?? null,
      eventRows(events),
      ...submissionColumns(submission),
      fence?.token ?? null,
      ...['id', 'type', 'bytes'].map((key) => (command.images ?? []).map((image) => image[key as keyof StoredImage])),
    ],
  );
  if (row?.fenced === false) throw superseded(runId, step);
  if (row?.known !== true) throw new Error(`run ${runId}, step ${step}: command without an action`);
  return row.as_given === true;
}

export async function commandGoesOn(run: Statements, runId: string, step: number, printed: string): Promise<boolean> {
  const [row] = await run<{ interrupt: boolean }>(
    'commandGoesOn',
    `with kept as (
           update episode_actions set printed = $3
           where run_id = $1 and step = $2 and outcome is null and printed is distinct from $3
         )
         select bool_or(interrupted_at is not null) as interrupt from episode_actions
         where run_id = $1 and step = $2 and outcome is null`,
    [runId, step, storable(printed)],
  );
  return row?.interrupt === true;
}
