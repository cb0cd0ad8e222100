import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { OpenTurn, Turns } from '../../domain/ports/turns.js';
import type { RunDetail } from '../../domain/views/runs.js';

export interface PlayStatePorts {
  turns: Pick<Turns, 'open'>;
  queries: Pick<RunReads, 'showRun'>;
}

/** The open turn of a run, else the state of the run. */
export async function playState(
  { turns, queries }: PlayStatePorts,
  runId: string,
): Promise<{ turn: OpenTurn } | { run: RunDetail }> {
  const [turn] = await turns.open({ runId });
  return turn === undefined ? { run: await queries.showRun(runId) } : { turn };
}
