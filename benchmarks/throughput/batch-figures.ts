import type pg from 'pg';

export interface BatchFigures {
  runs: number;
  ends: Record<string, number>;
  steps: number;
  /** From the first run's start to the last one's end, seconds. */
  seconds: number;
  stepsPerSecond: number;
  /** Between the ends of two steps' commands, milliseconds, mean; null: no run had two. */
  msBetweenSteps: number | null;
}

/** From the database: its clock is the same for every row. */
export async function batchFigures(database: pg.Client, batchId: string): Promise<BatchFigures> {
  const { rows } = await database.query<Omit<BatchFigures, 'stepsPerSecond'>>(
    `select
       (select json_object_agg(coalesce(end_reason, 'none'), n) from
         (select end_reason, count(*)::int as n from runs where batch_id = $1 group by 1) e) as ends,
       count(*)::int as runs,
       (select count(*)::int from steps join runs using (run_id) where batch_id = $1) as steps,
       extract(epoch from max(ended_at) - min(started_at))::float8 as seconds,
       (select avg(1000 * extract(epoch from span) / (n - 1))::float8 from
         (select max(executed_at) - min(executed_at) as span, count(executed_at) as n
          from steps join runs using (run_id) where batch_id = $1 group by run_id) s where n > 1) as "msBetweenSteps"
     from runs where batch_id = $1`,
    [batchId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no batch ${batchId}`);
  const { seconds, steps, msBetweenSteps } = row;
  return {
    ...row,
    seconds: round(seconds),
    stepsPerSecond: round(steps / seconds),
    msBetweenSteps: msBetweenSteps === null ? null : round(msBetweenSteps),
  };
}

export const round = (value: number): number => Math.round(value * 100) / 100;
