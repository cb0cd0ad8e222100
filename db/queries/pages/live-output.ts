import type { LiveOutput } from '../../../domain/ports/reading/run-pages.js';
import type { Statements } from '../../statements.js';
import { isoTime } from '../summaries.js';

/** Output of a run's current command so far; null: nothing was copied, or the command is over. */
export async function liveOutput(run: Statements, runId: string): Promise<LiveOutput | null> {
  const [row] = await run<Omit<LiveOutput, 'at'> & { at: Date }>(
    'liveOutput',
    `select l.step, l.tail, l.workers, l.at from live_outputs l join steps s on s.run_id = l.run_id and s.step = l.step
     where l.run_id = $1 and s.observation is null`,
    [runId],
  );
  return row === undefined ? null : { ...row, at: isoTime(row.at) };
}
