import type { BenchHome } from '../setup/bench-home.js';

/** What must not depend on crashes: per run, in submission order, how it went and every command with its end. */
export interface RunOutcome extends Record<string, unknown> {
  model: string;
  attempt: number;
  end_reason: string | null;
  final_evaluation: string | null;
  step: number;
  best_score: number | null;
  final_score: number | null;
  commands: { action: string; exit: number | null; lost: boolean; requested: string | null }[];
}

export const batchOutcome = (home: BenchHome, batchId: string): Promise<RunOutcome[]> =>
  home.sql<RunOutcome>(
    `select r.model_name as model, r.attempt, r.end_reason, r.final_evaluation, r.step, r.best_score, r.final_score,
       (select json_agg(json_build_object('action', s.action, 'exit', s.exit_code, 'lost', s.lost, 'requested', s.requested) order by s.step)
        from steps s where s.run_id = r.run_id) as commands
     from runs r where r.batch_id = $1 order by r.ordinal`,
    [batchId],
  );

/** Observations of the counter agent, run by run: its file's length after each step. A command that ran twice shows here. */
export const counterReadings = async (home: BenchHome, batchId: string): Promise<number[][]> => {
  const rows = await home.sql<{ readings: string[] }>(
    `select array_agg(trim(s.observation) order by s.step) as readings
     from runs r join steps s using (run_id)
     where r.batch_id = $1 and r.model_name like 'scripted:counter%' and s.requested is null
     group by r.run_id order by r.run_id`,
    [batchId],
  );
  return rows.map((row) => row.readings.map(Number));
};

/** Calls that were put again although their answer was stored: none, ever. */
export const repeatedCalls = (home: BenchHome, batchId: string) =>
  home.sql(
    `select c.run_id, c.step, c.try, count(*) as calls
     from model_calls c join runs r using (run_id)
     where r.batch_id = $1
     group by 1, 2, 3
     having count(*) filter (where c.status = 'confirmed') <> 1
       or max(c.created_at) > min(c.ended_at) filter (where c.status = 'confirmed')`,
    [batchId],
  );
