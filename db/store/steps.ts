import { Stale, Superseded } from '../../domain/errors.js';
import type { RecordedStep, ShownRow, StepLog } from '../../domain/ports/record/steps.js';
import type { RecordedCommand, StepRecord } from '../../domain/run.js';
import { type Statements, storable } from '../statements.js';
import { eventRows, eventsOf } from './events.js';
import { missingRun } from './missing.js';
import { submissionColumns } from './submissions.js';

/** Columns of a StepRecord, from `steps s`. */
export const STEP_COLUMNS = `s.step, s.response, s.thought, s.action, s.observation, s.exit_code as "exitCode",
  s.timed_out as "timedOut", s.lost, s.output_bytes::float8 as "outputBytes", s.requested,
  s.working_dir as "workingDir", s.tool_state as "toolState", s.command_ms as "commandMs", s.model_ms as "modelMs"`;

/** Whether the fence $n (null: none) is that of run `r`. */
export const isFenced = (n: number): string => `($${n}::text is null or r.fence is not distinct from $${n})`;

export const superseded = (runId: string, step: number): Superseded =>
  new Superseded(`run ${runId}, step ${step}: another attempt has taken over`);

/** So many observations, of at most 128 KiB each and an evaluation's message, are read at once. */
const SHOWN_AT_ONCE = 16;

/** Actions and their outcomes. */
export function stepStore(run: Statements): StepLog {
  return {
    async takeOver({ runId, epoch, from, fence }) {
      const rows = await run<{ taken: boolean; current: boolean } & RecordedStep>(
        'takeOver',
        // Fences of one workflow grow; those of another are of a workflow that was restarted.
        `with taken as (
           update runs r set fence = $4
           where run_id = $1 and epoch = $2 and status <> 'ended'
             and (r.fence is null or split_part(r.fence, '/', 1) <> split_part($4, '/', 1) or r.fence collate "C" <= $4)
           returning run_id
         )
         select exists (select from taken) as taken, r.epoch = $2 and r.status <> 'ended' as current,
           s.step, s.action is not null as "hasAction", s.executed_at is not null as executed, s.requested,
           coalesce(s.model_ms, 0) as "modelMs", coalesce(s.command_ms, 0) as "commandMs"
         from runs r left join steps s on s.run_id = r.run_id and s.step >= $3
         where r.run_id = $1 order by s.step`,
        [runId, epoch, from, fence],
      );
      const [first] = rows;
      if (first?.current !== true) throw new Stale(`run ${runId} has ended, or has left container ${epoch}`);
      if (!first.taken) throw superseded(runId, from);
      return rows.flatMap(({ taken: _taken, current: _current, ...step }) => (step.step === null ? [] : [step]));
    },

    async step(runId, step, fence) {
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
    },

    async *shownSteps(runId, { after, through, settledThrough = 0 }) {
      for (let last = after; last < through;) {
        const rows = await run<ShownRow>(
          'shownSteps',
          `select s.step, s.response, case when s.step > $4 then s.observation end as observation,
             s.exit_code as "exitCode", s.timed_out as "timedOut", s.working_dir as "workingDir",
             s.tool_state as "toolState", s.action, s.model_ms as "modelMs"
           from steps s where s.run_id = $1 and s.step > $2 and s.step <= $3 order by s.step limit ${SHOWN_AT_ONCE}`,
          [runId, last, through, settledThrough],
        );
        if (rows.length > 0) yield rows;
        last = rows.length < SHOWN_AT_ONCE ? through : (rows.at(-1)?.step ?? through);
      }
    },

    async lastExecuted(runId, through) {
      const [row] = await run<{ step: number }>(
        'lastExecuted',
        `select coalesce(max(step), 0) as step from steps where run_id = $1 and step <= $2 and observation is not null`,
        [runId, through],
      );
      return row?.step ?? 0;
    },

    async recordedCommands(runId, { after, through }) {
      return run<RecordedCommand>(
        'recordedCommands',
        `select step, action, exit_code as "exitCode", timed_out as "timedOut", lost, command_ms as "commandMs"
         from steps where run_id = $1 and step > $2 and step <= $3 and action is not null order by step`,
        [runId, after, through],
      );
    },

    async commandGoesOn(runId, step, printed) {
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
    },

    async saveAction(runId, step, { response, thought, action, modelMs }, fence) {
      const [row] = await run<{ known: boolean; moved: boolean }>(
        'saveAction',
        `with moved as (
           update runs r set step = greatest(step, $2), updated_at = now() where run_id = $1 and ${isFenced(7)} returning run_id
         ), saved as (
           insert into steps (run_id, step, response, thought, action, model_ms)
           select run_id, $2, $3, $4, $5, $6 from moved
           on conflict (run_id, step) do nothing
         )
         select exists (select from moved) as moved, exists (select from runs where run_id = $1) as known`,
        [
          ...[runId, step, storable(response), storable(thought), action === null ? null : storable(action), modelMs],
          fence?.token ?? null,
        ],
      );
      if (row?.known !== true) throw missingRun(runId);
      if (!row.moved) throw superseded(runId, step);
    },

    async saveCommand(runId, step, command, { epoch, events = [], submission = null, fence } = {}) {
      const [row] = await run<{ known: boolean; fenced: boolean }>(
        'saveCommand',
        `with saved as (
           update steps set
             observation = case when observation is null then $3 else $3 || E'\\n' || observation end,
             exit_code = $4, timed_out = $5, lost = $6, output_bytes = $7, requested = $8, working_dir = $9,
             command_ms = $10, tool_state = $11::jsonb, executed_at = now()
           where run_id = $1 and step = $2 and executed_at is null
             and ($13::int is null or $13 >= (select epoch from runs where run_id = $1))
             and exists (select from runs r where r.run_id = $1 and ${isFenced(18)})
           returning run_id
         ), remembered as (
           insert into memories (task_id, run_id, step, ordinal, text)
           select r.task_id, r.run_id, $2, m.ordinal, m.text
           from saved join runs r on r.run_id = saved.run_id and r.memory,
             unnest($12::text[]) with ordinality as m (text, ordinal)
           on conflict do nothing
         ), taken as (
           insert into submissions (run_id, step, kind, sha256, missing, refused)
           select run_id, $2, $8, $15, $16::text[], $17 from saved where num_nonnulls($15::text, $16::text[], $17::text) = 1
           on conflict do nothing
         ), told as (${eventsOf('saved', '$14')})
         select exists (select from steps where run_id = $1 and step = $2) as known,
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
        ],
      );
      if (row?.fenced === false) throw superseded(runId, step);
      if (row?.known !== true) throw new Error(`run ${runId}, step ${step}: command without an action`);
    },
  };
}
