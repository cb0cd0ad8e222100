import type { Included } from '../../../domain/requests/comparison.js';
import { EVENT_KINDS } from '../../../domain/run/event-kinds.js';
import { INTEGRITY_RULES } from '../../../domain/run/integrity-rules.js';
import { MODEL_KINDS } from '../../../domain/model/model.js';
import { BATCH_STATUSES, END_REASONS, RUN_STATUSES } from '../../../domain/run/outcomes.js';
import { BACKENDS, ORIGINS } from '../../../domain/run/run.js';
import type { RunFacet, RunOrder } from '../../../domain/requests/run-filter.js';
import type { SearchPlace } from '../../../domain/requests/search.js';
import { flag, list, listOf, natural, number, oneOf, reader, text } from './search-params.js';

const ORDERS = [
  ...['createdAt', 'startedAt', 'endedAt', 'updatedAt', 'model', 'task', 'status', 'attempt'],
  ...['steps', 'cost', 'tokens', 'duration', 'bestScore', 'finalScore'],
] as readonly RunOrder[];
const runOrders = ORDERS.flatMap((order) => [order, `-${order}` as const] as const);

/** Filters of runs, and how each is read from an address. */
const facets = {
  status: listOf(RUN_STATUSES),
  outcome: listOf(['complete', 'incomplete', 'failed', '']),
  endReason: listOf([...END_REASONS, '']),
  model: list,
  task: list,
  batch: list,
  flag: listOf([...INTEGRITY_RULES, '']),
  agent: list,
  kind: listOf(MODEL_KINDS),
  origin: listOf(ORIGINS),
  isolation: listOf(['container', 'none', '']),
  backend: listOf(BACKENDS),
  host: list,
  profile: list,
  sample: listOf(['true', 'false']),
} satisfies Record<RunFacet, unknown>;
export const FACETS = Object.keys(facets) as RunFacet[];

const time = (value: unknown): string | undefined => {
  const found = text(value);
  return found !== undefined && !Number.isNaN(Date.parse(found)) ? new Date(found).toISOString() : undefined;
};

export const RANGES = ['score', 'steps', 'cost', 'tokens', 'duration'] as const;

const runFilter = {
  ...facets,
  text,
  ...{ scoreMin: number, scoreMax: number, stepsMin: number, stepsMax: number, costMin: number, costMax: number },
  ...{ tokensMin: number, tokensMax: number, durationMin: number, durationMax: number },
  since: time,
  until: time,
};

export const COLUMNS = [
  ...([
    'model',
    'task',
    'attempt',
    'state',
    'best',
    'final',
    'baseline',
    'steps',
    'cost',
    'tokens',
    'duration',
  ] as const),
  ...(['flags', 'batch', 'agent', 'host', 'isolation', 'created', 'ended', 'detail'] as const),
] as const;
export type Column = (typeof COLUMNS)[number];

export const readRuns = reader({ ...runFilter, contains: text, sort: oneOf(runOrders), columns: listOf(COLUMNS) });
export type RunsSearch = ReturnType<typeof readRuns>;

export const RUN_TABS = ['steps', 'scores', 'prompt', 'calls', 'files', 'events', 'setup', 'tree'] as const;
export type RunTab = (typeof RUN_TABS)[number];
export const readRun = reader({
  tab: oneOf(RUN_TABS),
  step: natural,
  show: oneOf(['all', 'no-thoughts', 'validates', 'errors']),
  category: text,
  density: oneOf(['list', 'reading', 'full']),
  over: oneOf(['step', 'time', 'cost']),
  find: text,
  // For files: whose, compared with whose, and which is open. Submissions count from one.
  files: natural,
  since: natural,
  file: text,
});
export type RunSearch = ReturnType<typeof readRun>;

export const readBatches = reader({ status: listOf(BATCH_STATUSES), origin: listOf(ORIGINS), text });
export type BatchesSearch = ReturnType<typeof readBatches>;

export const readBatch = reader({
  tab: oneOf(['matrix', 'spend', 'ends', 'events', 'submission']),
  kind: listOf(EVENT_KINDS),
});

export const INCLUDED = ['suspect', 'scripted', 'local', 'imported'] as const satisfies readonly Included[];

export const readLeaderboard = reader({
  view: text,
  metric: oneOf(['best-attempt', 'best-submission']),
  models: list,
  tasks: list,
  suite: text,
  batch: text,
  mode: oneOf(['strict', 'compat']),
  include: listOf(INCLUDED),
  sample: flag,
  profile: text,
  /** Excluded, to see what would change. */
  without: list,
  model: text,
  kind: text,
  isolation: text,
  task: text,
});
export type LeaderboardSearch = ReturnType<typeof readLeaderboard>;

const named =
  (most: number) =>
  (value: unknown): string[] | undefined => {
    const found = (list(value) ?? []).flatMap((one) => one.split(',')).filter((one) => one !== '');
    return found.length === 0 ? undefined : found.slice(0, most);
  };

export const readCompare = reader({
  runs: named(8),
  /** Two of either, instead. */
  ...{ batches: named(2), models: named(2), tasks: list },
  step: natural,
});

export const readPresent = reader({ step: natural, pace: number });
export type PresentSearch = ReturnType<typeof readPresent>;

export const readTrend = reader({ task: text, model: text });
export const readOperations = reader({ kind: listOf(EVENT_KINDS) });
export const EPISODE_TABS = ['curves', 'groups', 'episodes'] as const;
export const readEpisodes = reader({
  batch: text,
  tab: oneOf(EPISODE_TABS),
  group: text,
  policyVersion: natural,
  state: oneOf(['open', 'ended']),
});
export type EpisodesSearch = ReturnType<typeof readEpisodes>;

export const readIntegrity = reader({ rule: listOf(INTEGRITY_RULES), model: list, task: list, batch: list });
export type IntegritySearch = ReturnType<typeof readIntegrity>;

/** The compiler compares these with the server's. */
export const SEARCH_PLACES = [
  'thought',
  'action',
  'observation',
  'reply',
  'evaluation',
  'event',
  'file',
] as const satisfies readonly SearchPlace[];
export type { SearchPlace };
export const readSearch = reader({ q: text, in: listOf(SEARCH_PLACES), ...runFilter });

export type SearchSearch = ReturnType<typeof readSearch>;

const query = (value: unknown): string | undefined => {
  const found = Array.isArray(value) ? (value as unknown[])[0] : value;
  return typeof found === 'string' && found !== '' ? found.slice(0, 20_000) : undefined;
};
export const readSql = reader({ q: query, chart: oneOf(['bars', 'line', 'points']), x: text, y: list });
export type SqlSearch = ReturnType<typeof readSql>;

export const readPlay = reader({ task: text });
export const readNothing = reader({});
