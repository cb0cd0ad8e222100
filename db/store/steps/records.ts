import type { Fence, ShownRow } from '../../../domain/ports/record/steps.js';
import type { StepRecord, RecordedCommand } from '../../../domain/run/run.js';
import type { Statements } from '../../statements.js';
import { isFenced, REFUSED, superseded } from './fences.js';

/** Columns of a StepRecord, from `steps s`. */
export const STEP_COLUMNS = `s.step, s.response, s.thought, s.action, s.observation, s.exit_code as "exitCode",
  s.timed_out as "timedOut", s.lost, s.output_bytes::float8 as "outputBytes", s.requested,
  s.working_dir as "workingDir", s.tool_state as "toolState", s.command_ms as "commandMs", s.model_ms as "modelMs"`;

/** Each has at most 128 KiB and an evaluation's message. */
const SHOWN_AT_ONCE = 16;

export async function recordedStep(
  run: Statements,
  runId: string,
  step: number,
  fence?: Fence,
): Promise<StepRecord | null> {
  const [row] = await run<StepRecord & { isFenced: boolean }>(
    'step',
    `select ${STEP_COLUMNS}, ${isFenced(3)} as "isFenced"
         from steps s join runs r on r.run_id = s.run_id where s.run_id = $1 and s.step = $2`,
    [runId, step, fence?.token ?? null],
  );
  if (row === undefined) return null;
  const { isFenced: mine, ...record } = row;
  if (!mine) throw superseded(runId, step);
  return record;
}

export async function* shownSteps(
  run: Statements,
  runId: string,
  { after, through, settledThrough = 0 }: { after: number; through: number; settledThrough?: number },
): AsyncGenerator<ShownRow[], void, undefined> {
  for (let last = after; last < through;) {
    const rows = await run<ShownRow>(
      'shownSteps',
      `select s.step, s.response, s.reasoning, case when s.step > $4 then s.observation end as observation,
             s.exit_code as "exitCode", s.timed_out as "timedOut", s.working_dir as "workingDir",
             s.tool_state as "toolState", s.action, s.model_ms as "modelMs",
             (coalesce(s.command_ms, 0) + coalesce((
               select sum(e.ms) from evaluations e where e.run_id = s.run_id and e.step = s.step
             ), 0))::float8 as "executedMs",
             ${REFUSED} as refused
           from steps s where s.run_id = $1 and s.step > $2 and s.step <= $3 order by s.step limit ${SHOWN_AT_ONCE}`,
      [runId, last, through, settledThrough],
    );
    if (rows.length > 0) yield rows;
    last = rows.length < SHOWN_AT_ONCE ? through : (rows.at(-1)?.step ?? through);
  }
}

export async function lastExecuted(run: Statements, runId: string, through: number): Promise<number> {
  const [row] = await run<{ step: number }>(
    'lastExecuted',
    `select coalesce(max(step), 0) as step from steps where run_id = $1 and step <= $2 and observation is not null`,
    [runId, through],
  );
  return row?.step ?? 0;
}

export async function usedMs(run: Statements, runId: string, through: number): Promise<number> {
  const [row] = await run<{ ms: number }>(
    'usedMs',
    `select (coalesce((select sum(coalesce(model_ms, 0) + coalesce(command_ms, 0)) from steps where run_id = $1 and step <= $2), 0)
         + coalesce((select sum(ms) from evaluations where run_id = $1 and step <= $2 and kind = 'validate'), 0))::float8 as ms`,
    [runId, through],
  );
  return row?.ms ?? 0;
}

export async function recordedCommands(
  run: Statements,
  runId: string,
  { after, through }: { after: number; through: number },
): Promise<RecordedCommand[]> {
  return run<RecordedCommand>(
    'recordedCommands',
    `select step, action, exit_code as "exitCode", timed_out as "timedOut", lost, command_ms as "commandMs"
         from steps where run_id = $1 and step > $2 and step <= $3 and action is not null order by step`,
    [runId, after, through],
  );
}
