import type { LeaderboardRequest } from '../../../domain/requests/leaderboard.js';
import type { Bench } from '../../../operations/bench.js';
import { leaderboardCell } from '../../../operations/pages/leaderboard-cell.js';
import { comparisonDocument } from '../../../operations/results/comparisons/document.js';
import { listComparisons } from '../../../operations/results/comparisons/list.js';
import { showComparison } from '../../../operations/results/comparisons/show.js';
import { leaderboard } from '../../../operations/results/leaderboard.js';
import type { Handler } from '../call.js';

export function resultHandlers(bench: Bench): Record<string, Handler> {
  return {
    leaderboard: ({ query }) => leaderboard(bench, query),
    leaderboardCell: async ({ query }) => {
      const { model, kind, isolation, task, ...request } = query as LeaderboardRequest & Record<Part, string>;
      return { runs: await leaderboardCell(bench, request, { model, kind, isolation, task }) };
    },
    comparisons: async () => ({ comparisons: (await listComparisons(bench)).map(comparisonDocument) }),
    comparison: async ({ params }) => {
      const { saved, movedBaselines } = await showComparison(bench, params['name'] ?? '');
      return { ...comparisonDocument(saved), movedBaselines };
    },
  };
}

type Part = 'model' | 'kind' | 'isolation' | 'task';
