import type { Comparisons } from '../../../domain/ports/comparisons.js';
import type { LeaderboardReads } from '../../../domain/ports/reading/leaderboards.js';
import { leaderboardCell } from '../../../operations/pages/leaderboard-cell.js';
import { comparisonDocument } from '../../../operations/results/comparisons/document.js';
import { listComparisons } from '../../../operations/results/comparisons/list.js';
import { showComparison } from '../../../operations/results/comparisons/show.js';
import { leaderboard, type LeaderboardPorts } from '../../../operations/results/leaderboard.js';
import type { resultRoutes } from '../../api/results.js';
import type { Handlers } from '../call.js';

type ResultPorts = LeaderboardPorts & {
  comparisons: Pick<Comparisons, 'list' | 'find' | 'state'>;
  queries: LeaderboardReads;
};

export function resultHandlers(ports: ResultPorts): Handlers<typeof resultRoutes> {
  return {
    leaderboard: ({ query }) => leaderboard(ports, query),
    leaderboardCell: async ({ query }) => {
      const { model, kind, isolation, task, ...request } = query;
      return { runs: await leaderboardCell(ports, request, { model, kind, isolation, task }) };
    },
    comparisons: async () => ({ comparisons: (await listComparisons(ports)).map(comparisonDocument) }),
    comparison: async ({ params }) => {
      const { saved, changedBaselines } = await showComparison(ports, params.name);
      return { ...comparisonDocument(saved), changedBaselines };
    },
  };
}
