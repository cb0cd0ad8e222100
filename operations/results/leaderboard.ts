import type { LeaderboardReads } from '../../domain/ports/reading/leaderboards.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type LeaderboardRequest, leaderboardRequestSchema } from '../../domain/requests/leaderboard.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import { type ComparisonPorts, resolveComparison } from './resolve-comparison.js';

export type LeaderboardPorts = ComparisonPorts & { queries: Pick<LeaderboardReads, 'leaderboard'> };

/**
 * Ranks models over tasks: of the newest batch with a run that counts, unless the request names
 * batch, view, models or tasks. BenchError (usage): a key is wrong, or a name is unknown.
 */
export async function leaderboard(
  ports: LeaderboardPorts,
  input: LeaderboardRequest = {},
  { intervals = true }: { intervals?: boolean } = {},
): Promise<Leaderboard> {
  const request = checkedRequest(leaderboardRequestSchema, input);
  const { view, metric, batch, models, tasks, suite } = request;
  const compared = await resolveComparison(ports, request);
  // A saved comparison decides all that is compared but the metric.
  if (view !== undefined) return ports.queries.leaderboard({ view, metric, intervals });
  const newest = [batch, models, tasks, suite].every((one) => one === undefined);
  return ports.queries.leaderboard({ ...compared, newest, intervals });
}
