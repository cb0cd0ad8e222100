import { checkedRequest } from '../../domain/requests/checked.js';
import { type LeaderboardRequest, leaderboardRequestSchema } from '../../domain/requests/leaderboard.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { Bench } from '../bench.js';
import { resolveComparison } from './resolve-comparison.js';

/** Ranks models over tasks. BenchError (usage): a key is wrong, or a name is unknown. */
export async function leaderboard(bench: Bench, input: LeaderboardRequest = {}): Promise<Leaderboard> {
  const request = checkedRequest(leaderboardRequestSchema, input);
  const { comparison, metric, order, resamples, seed, estimateK } = request;
  const database = await bench.database();
  const compared = await resolveComparison(request, bench.settings.configFolders, database);
  return database.queries.leaderboard({
    // A saved comparison says by itself what orders the rows, unless it is asked for.
    ...(comparison === undefined
      ? compared
      : { comparison, ...(metric !== undefined && { metric }), ...(order !== undefined && { order }) }),
    ...{ resamples, seed, estimateK },
  });
}
