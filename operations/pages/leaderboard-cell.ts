import type { LeaderboardReads } from '../../domain/ports/reading/leaderboards.js';
import type { LeaderboardRequest } from '../../domain/requests/leaderboard.js';
import type { LeaderboardRun } from '../../domain/views/leaderboard-run.js';
import { leaderboard, type LeaderboardPorts } from '../results/leaderboard.js';

/** The runs behind a row of a leaderboard, or its cell at one task, whether they count or not. */
export async function leaderboardCell(
  ports: LeaderboardPorts & { queries: Pick<LeaderboardReads, 'leaderboardRuns'> },
  request: LeaderboardRequest,
  cell: { model: string; kind: string; isolation: string; task?: string | undefined },
): Promise<LeaderboardRun[]> {
  const board = await leaderboard(ports, request, { intervals: false });
  const runs = await ports.queries.leaderboardRuns(board);
  return runs.filter(
    ({ model, kind, isolation, task }) =>
      model === cell.model &&
      kind === cell.kind &&
      isolation === cell.isolation &&
      (cell.task === undefined || task === cell.task),
  );
}
