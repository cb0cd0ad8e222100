import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { Bench } from '../bench.js';
import { type ComparisonRequest, resolveComparison } from './resolve-comparison.js';

export interface LeaderboardRequest extends ComparisonRequest {
  /** A saved comparison, which says all that is compared; only `metric` may stand beside it. */
  comparison?: string | undefined;
  /** How often attempts and tasks are resampled for the intervals; 0: no intervals; default 1000. */
  resamples?: number | undefined;
  /** Of the resamples; default 1. */
  seed?: number | undefined;
  /** Estimate the best of so many attempts without bias. */
  estimateK?: number | undefined;
}

/** Ranks models over tasks. */
export async function leaderboard(bench: Bench, request: LeaderboardRequest = {}): Promise<Leaderboard> {
  const { comparison, metric, resamples = 1000, seed, estimateK } = request;
  const database = await bench.database();
  const compared = await resolveComparison(request, bench.settings.configFolders, database);
  return database.queries.leaderboard({
    // A saved comparison says by itself what orders the rows, unless it is asked for.
    ...(comparison === undefined ? compared : { comparison, ...(metric === undefined ? {} : { metric }) }),
    ...{ resamples, seed, estimateK },
  });
}
