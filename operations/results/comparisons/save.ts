import { BenchError } from '../../../domain/errors.js';
import type { Comparisons } from '../../../domain/ports/comparisons.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import { type SavedComparisonRequest, savedComparisonRequestSchema } from '../../../domain/requests/comparison.js';
import type { SavedComparison } from '../../../domain/views/comparisons.js';
import type { LeaderboardPorts } from '../leaderboard.js';
import { resolveComparison } from '../resolve-comparison.js';

/** Saves what a leaderboard of this request compares now, so that its figures stay as they are. */
export async function saveComparison(
  ports: LeaderboardPorts & { comparisons: Pick<Comparisons, 'save'> },
  name: string,
  input: SavedComparisonRequest,
): Promise<SavedComparison> {
  const request = checkedRequest(savedComparisonRequestSchema, input);
  if (!/^[\w][\w.-]{0,63}$/.test(name))
    throw new BenchError('usage', `${JSON.stringify(name.slice(0, 80))} is not a valid name for a comparison`, {
      remedy: 'Use at most 64 letters, digits, `.`, `-` and `_`.',
    });
  const options = await resolveComparison(ports, request);
  const { comparison: compared, rows, tasks } = await ports.queries.leaderboard(options);
  if (compared.T === null)
    throw new BenchError('usage', 'these options leave nothing to compare', {
      code: 'comparison.empty',
      remedy:
        'See what ranks with `bench leaderboard` first; scripted agents and runs without isolation rank only on request.',
      fields: { include: 'scripted,local' },
    });
  return ports.comparisons.save(name, {
    ...options,
    include: compared.include,
    models: [...new Set(rows.filter(({ unranked }) => unranked === null).map(({ model }) => model))].sort(),
    tasks: tasks.filter((task) => task.compared).map(({ task }) => task),
    contracts: Object.fromEntries(tasks.map(({ task, contract }) => [task, contract])),
    baselines: Object.fromEntries(tasks.map(({ task, baseline }) => [task, baseline])),
    standardErrors: Object.fromEntries(tasks.map(({ task, standardError }) => [task, standardError])),
    targets: Object.fromEntries(tasks.map(({ task, target }) => [task, target])),
    axis: compared.T,
  });
}
