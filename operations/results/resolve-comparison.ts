import { selectTaskIds } from '../../catalog/index.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import { ALL_BATCHES } from '../../domain/requests/fields.js';
import type { SavedComparisonRequest } from '../../domain/requests/comparison.js';
import type { ComparisonOptions } from '../../domain/views/leaderboard.js';
import { type NamePorts, refuseUnknownNames } from './refuse-unknown-names.js';

export type ComparisonPorts = NamePorts & { queries: Pick<BatchReads, 'findBatch'> };

/** Resolves names: a suite to its tasks, a batch to its id. BenchError: one is unknown. */
export async function resolveComparison(
  ports: ComparisonPorts,
  request: SavedComparisonRequest,
): Promise<ComparisonOptions> {
  const { queries, settings } = ports;
  const { batch } = request;
  await refuseUnknownNames(ports, request);
  const suite = request.suite === undefined ? [] : selectTaskIds(settings.configFolders, [request.suite]);
  const tasks = [...(request.tasks ?? []), ...suite];
  return {
    metric: request.metric ?? 'best-attempt',
    mode: request.mode ?? 'strict',
    models: request.models,
    tasks: tasks.length === 0 ? undefined : tasks,
    batchId: batch === undefined || batch === ALL_BATCHES ? undefined : (await queries.findBatch(batch)).batchId,
    k: request.k,
    include: request.include,
    sample: request.sample === true,
    profile: request.profile,
  };
}
