import type { BenchHome } from '../setup/bench-home.js';

/** What crashes must not change: per run, in submission order, its end and every command's end. */
export interface RunOutcome extends Record<string, unknown> {
  model: string;
  attempt: number;
  end_reason: string | null;
  final_evaluation: string | null;
  step: number;
  /** Evaluated hashes and their ends. Each batch draws its own games: scores differ by chance. */
  evaluations: { kind: string; number: number; split: string; status: string; submission: string | null }[] | null;
  commands: { action: string; exit: number | null; lost: boolean; requested: string | null }[];
}

export const batchOutcome = (home: BenchHome, batchId: string): Promise<RunOutcome[]> =>
  home.sql<RunOutcome>(
    `select r.model_name as model, r.attempt, r.end_reason, r.final_evaluation, r.step,
       (select json_agg(json_build_object('kind', e.kind, 'number', e.number, 'split', e.split, 'status', e.status,
          'submission', e.submission_sha256) order by e.number, e.split)
        from evaluations e where e.run_id = r.run_id) as evaluations,
       (select json_agg(json_build_object('action', s.action, 'exit', s.exit_code, 'lost', s.lost, 'requested', s.requested) order by s.step)
        from steps s where s.run_id = r.run_id) as commands
     from runs r where r.batch_id = $1 order by r.ordinal`,
    [batchId],
  );

/** Five standard errors of the difference of two scores of a thousand games. */
const CHANCE = 0.06;

/** Runs whose best or final score differs from the other batch's by more than chance. */
export const scoresApart = (home: BenchHome, batchId: string, otherId: string) =>
  home.sql(
    `select r.run_id, r.final_score, o.final_score as other
     from runs r join runs o on o.batch_id = $2 and o.ordinal = r.ordinal
     where r.batch_id = $1 and not exists (select from steps s where s.run_id in (r.run_id, o.run_id) and s.lost)
       and (abs(r.final_score - o.final_score) <= $3 and abs(r.best_score - o.best_score) <= $3) is not true`,
    [batchId, otherId, CHANCE],
  );

/**
 * Observations of the counter agent: its file's length after each step, so that a repeated command
 * shows. `unhurt`: only runs that lost no command.
 */
export const counterReadings = async (home: BenchHome, batchId: string, unhurt = false): Promise<number[][]> => {
  const rows = await home.sql<{ readings: string[] }>(
    `select array_agg(trim(s.observation) order by s.step) as readings
     from runs r join steps s using (run_id)
     where r.batch_id = $1 and r.model_name like 'scripted:counter%' and s.requested is null
       and not ($2 and exists (select from steps l where l.run_id = r.run_id and l.lost))
     group by r.run_id order by r.run_id`,
    [batchId, unhurt],
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
