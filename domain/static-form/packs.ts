// An export packs many answers of `bench serve` routes. This locates each, for writers of packs and
// the page.

/** Steps per pack of texts. */
export const STEPS_A_PACK = 100;

/** Limits on number and size do not change the content. */
const NOT_KEPT = ['limit', 'preview', 'to', 'kind', 'buckets'];

type Values = Readonly<Record<string, unknown>>;

const sorted = (values: Values): [string, unknown][] =>
  Object.entries(values)
    .filter(([name, value]) => value !== undefined && value !== null && !NOT_KEPT.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Key of an answer in its pack. */
export const entryOf = (route: string, params: Values, query: Values): string =>
  JSON.stringify([route, sorted(params), sorted(query)]);

const ofRun = (id: unknown): string => `run ${String(id)}`;

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

/** For an export's start page, and for what it cannot show. */
export interface ExportIndex {
  version: string;
  packs: Readonly<Record<string, string>>;
  batches: readonly string[];
  /** By whole ids. */
  runs: number;
  /** Null: the export has no leaderboard. */
  leaderboard: Readonly<Record<string, string | true>> | null;
  observations: boolean;
  files: boolean;
  /** Texts with redactions. */
  redacted: number;
}
