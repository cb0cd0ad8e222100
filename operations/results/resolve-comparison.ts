import { type ConfigFolders, selectTaskIds } from '../../catalog/index.js';
import type { Database } from '../../db/index.js';
import type { ComparisonRequest } from '../../domain/requests/comparison.js';
import type { ComparisonOptions } from '../../domain/views/leaderboard.js';
import { refuseUnknownNames } from './refuse-unknown-names.js';

/** The names in a request resolved: a suite becomes its tasks, a batch its id. BenchError: one of them is unknown. */
export async function resolveComparison(
  request: ComparisonRequest,
  configFolders: ConfigFolders,
  database: Pick<Database, 'queries'>,
): Promise<ComparisonOptions> {
  const { queries } = database;
  await refuseUnknownNames(database, configFolders, request);
  const suite = request.suite === undefined ? [] : selectTaskIds(configFolders, [request.suite]);
  const tasks = [...(request.tasks ?? []), ...suite];
  return {
    metric: request.metric ?? 'best-attempt',
    order: request.order,
    mode: request.mode ?? 'strict',
    models: request.models,
    tasks: tasks.length === 0 ? undefined : tasks,
    batchId: request.batch === undefined ? undefined : (await queries.findBatch(request.batch)).batchId,
    k: request.k,
    axis: request.T,
    includeSuspect: request.includeSuspect,
    includeScripted: request.includeScripted === true,
    includeLocal: request.includeLocal === true,
    includeImported: request.includeImported === true,
    sample: request.sample === true,
    profile: request.profile,
  };
}
