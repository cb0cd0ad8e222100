import type pg from 'pg';

export const STEP_PARTS = ['total', 'turn', 'command'] as const;
/**
 * A step's platform time, milliseconds. `turn`: from the previous outcome to the action, without
 * the model's time; `command`: from there to its outcome, without the command's time.
 */
export type StepParts = Record<(typeof STEP_PARTS)[number], number>;

/** By the database's clock. Without the first step, and without steps after an evaluation. */
export async function stepParts(database: pg.Pool, runId: string): Promise<StepParts[]> {
  const { rows } = await database.query<{ turn: number; command: number }>(
    `with timed as (
       select step, created_at, executed_at, model_ms, command_ms,
         lag(executed_at) over (order by step) as before, lag(requested) over (order by step) as evaluated
       from steps where run_id = $1
     )
     select extract(epoch from created_at - before)::float8 * 1000 - model_ms as turn,
       extract(epoch from executed_at - created_at)::float8 * 1000 - command_ms as command
     from timed where before is not null and evaluated is null and executed_at is not null order by step`,
    [runId],
  );
  return rows.map(({ turn, command }) => ({ total: turn + command, turn, command }));
}
