import type { OpenTurn } from '../../domain/ports/turns.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { Bench } from '../bench.js';

/** What a player of one run sees: the turn that waits for an answer, else how the run stands. */
export async function playState(bench: Bench, runId: string): Promise<{ turn: OpenTurn } | { run: RunDetail }> {
  const { turns, queries } = await bench.database();
  const [turn] = await turns.open({ runId });
  return turn === undefined ? { run: await queries.showRun(runId) } : { turn };
}
