// An export holds what the routes of `bench serve` answered, many answers to a pack. Here is where each lies, for those who write packs and
// for the page that reads them.

/** Steps whose texts lie in one pack. */
export const STEPS_A_PACK = 100;

/** How many at most, and how much of them, does not change what is there. */
const NOT_KEPT = ['limit', 'preview', 'to', 'kind', 'buckets'];

type Values = Readonly<Record<string, unknown>>;

const sorted = (values: Values): [string, unknown][] =>
  Object.entries(values)
    .filter(([name, value]) => value !== undefined && value !== null && !NOT_KEPT.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Under which an answer lies in its pack. */
export const entryOf = (route: string, params: Values, query: Values): string =>
  JSON.stringify([route, sorted(params), sorted(query)]);

const ofRun = (id: unknown): string => `run ${String(id)}`;

/** The pack in which a route's answer lies. */
export function packOf(route: string, params: Values, query: Values): string {
  switch (route) {
    case 'steps':
      return `${ofRun(params['id'])} steps ${Math.floor((Number(query['from']) - 1) / STEPS_A_PACK)}`;
    case 'stepText':
      return `${ofRun(params['id'])} step ${String(params['step'])}`;
    case 'file':
      return `file ${String(params['sha256'])}`;
    case 'run':
    case 'skeleton':
    case 'evaluations':
    case 'lineage':
    case 'tree':
    case 'waiting':
    case 'setup':
    case 'files':
    case 'calls':
    case 'runEvents':
      return ofRun(params['id']);
    case 'batch':
    case 'batchMatrix':
    case 'batchSpend':
    case 'batchEvents':
      return `batch ${String(params['id'])}`;
    case 'leaderboard':
    case 'leaderboardCell':
    case 'comparisons':
    case 'comparison':
      return 'results';
    default:
      return route;
  }
}

/** What an export holds, for its start page and for what it cannot show. */
export interface ExportIndex {
  version: string;
  /** The file of each pack. */
  packs: Readonly<Record<string, string>>;
  batches: readonly string[];
  /** By whole ids. */
  runs: number;
  /** What `/leaderboard` shows; null: there is none in it. */
  leaderboard: Readonly<Record<string, string | true>> | null;
  observations: boolean;
  files: boolean;
  /** Texts in which something was replaced. */
  redacted: number;
}
