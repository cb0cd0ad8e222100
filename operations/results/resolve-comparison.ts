import { type ConfigFolders, selectTaskIds } from '../../catalog/index.js';
import type { Database } from '../../db/index.js';
import type { ComparisonOptions, LeaderboardMetric, LeaderboardMode } from '../../domain/views/leaderboard.js';
import { refuseUnknownNames } from './refuse-unknown-names.js';

/** What a person says is to be compared, and by which rules; see ComparisonOptions for the defaults. */
export interface ComparisonRequest {
  metric?: LeaderboardMetric | undefined;
  mode?: LeaderboardMode | undefined;
  models?: string[] | undefined;
  /** Ids; `id@contract`: of that contract. */
  tasks?: string[] | undefined;
  /** The tasks of this suite too. */
  suite?: string | undefined;
  /** Id, name, or an unambiguous part of the id. */
  batch?: string | undefined;
  k?: number | undefined;
  T?: number | undefined;
  includeSuspect?: boolean | undefined;
  includeScripted?: boolean | undefined;
  includeLocal?: boolean | undefined;
  includeImported?: boolean | undefined;
  sample?: boolean | undefined;
  profile?: string | undefined;
}

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
