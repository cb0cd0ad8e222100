import type { RunFacet, RunOrder, RunSelection } from '../requests/run-filter.js';
import { RUN_STATUSES } from '../run/outcomes.js';
import type { RunFacetCounts, RunPage, RunRow } from '../views/run-page.js';

// As the database selects runs, for exported pages without one. A test compares the two.

/** `''`: the run has no value. */
const FACETS: Readonly<Record<RunFacet, (run: RunRow) => readonly string[]>> = {
  model: ({ model }) => [model],
  task: ({ task }) => [task],
  batch: ({ batchId }) => [batchId],
  agent: ({ agent }) => [agent],
  host: ({ host }) => [host ?? ''],
  profile: ({ profile }) => [profile ?? ''],
  status: ({ status }) => [status],
  endReason: ({ endReason }) => [endReason ?? ''],
  outcome: ({ outcome }) => [outcome ?? ''],
  flag: ({ flags }) => (flags.length === 0 ? [''] : flags.map(({ rule }) => rule)),
  isolation: ({ isolation }) => [isolation ?? ''],
  backend: ({ backend }) => [backend],
  kind: ({ modelKind }) => [modelKind],
  origin: ({ origin }) => [origin],
  sample: ({ sample }) => [String(sample)],
};
const NAMES = Object.keys(FACETS) as RunFacet[];

const RANGES = {
  score: ({ bestScore }: RunRow) => bestScore,
  steps: ({ steps }: RunRow) => steps,
  cost: ({ costUsd }: RunRow) => Number(costUsd),
  tokens: ({ inputTokens, outputTokens }: RunRow) => inputTokens + outputTokens,
  duration: ({ durationMs }: RunRow) => (durationMs === null ? null : Math.round(durationMs * 1000) / 1e6),
} as const;
type Range = keyof typeof RANGES;

const timeOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

/** Null comes last. */
const ORDERS: Record<RunOrder, (run: RunRow) => string | number | null> = {
  createdAt: ({ createdAt }) => timeOf(createdAt),
  startedAt: ({ startedAt }) => timeOf(startedAt),
  endedAt: ({ endedAt }) => timeOf(endedAt),
  updatedAt: ({ updatedAt }) => timeOf(updatedAt),
  model: ({ model }) => model,
  task: ({ task }) => task,
  status: ({ status }) => RUN_STATUSES.indexOf(status),
  attempt: ({ attempt }) => attempt,
  steps: RANGES.steps,
  cost: RANGES.cost,
  tokens: RANGES.tokens,
  duration: RANGES.duration,
  bestScore: RANGES.score,
  finalScore: ({ finalScore }) => finalScore,
};

function matches(run: RunRow, filter: RunSelection): boolean {
  for (const facet of NAMES) {
    const wanted: readonly string[] | undefined = filter[facet];
    if (wanted === undefined) continue;
    const own = facet === 'batch' ? [run.batchId, run.batchName ?? run.batchId] : FACETS[facet](run);
    if (!own.some((value) => wanted.includes(value))) return false;
  }
  for (const name of Object.keys(RANGES) as Range[]) {
    const [min, max] = [filter[`${name}Min`], filter[`${name}Max`]];
    if (min === undefined && max === undefined) continue;
    const value = RANGES[name](run);
    if (value === null || value < (min ?? -Infinity) || value > (max ?? Infinity)) return false;
  }
  const created = Date.parse(run.createdAt);
  if (filter.since !== undefined && created < Date.parse(filter.since)) return false;
  if (filter.until !== undefined && created >= Date.parse(filter.until)) return false;
  if (filter.text === undefined || filter.text === '') return true;
  const { runId, model, task, agent, batchId, batchName, detail } = run;
  const texts = [runId, model, task, agent, batchId, batchName, detail].filter((text) => text !== null);
  return texts.join('\n').toLowerCase().includes(filter.text.toLowerCase());
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

export function selectRuns(runs: readonly RunRow[], filter: RunSelection, sort: RunOrder | `-${RunOrder}`): RunRow[] {
  const down = sort.startsWith('-') ? -1 : 1;
  const valueOf = ORDERS[sort.replace(/^-/, '') as RunOrder];
  return runs
    .filter((run) => matches(run, filter))
    .sort((one, other) => {
      const [a, b] = [valueOf(one), valueOf(other)];
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
      } else if (a !== b) return down * compare(a, b);
      return down * compare(one.runId, other.runId);
    });
}

/** `after`: number of runs before the page. */
export function pageOfRuns(
  runs: readonly RunRow[],
  {
    sort = '-createdAt',
    after,
    limit = 100,
    ...filter
  }: RunSelection & { sort?: RunOrder | `-${RunOrder}`; after?: string | undefined; limit?: number },
): RunPage {
  const chosen = selectRuns(runs, filter, sort);
  const from = Number(after ?? 0);
  return { runs: chosen.slice(from, from + limit), next: from + limit < chosen.length ? String(from + limit) : null };
}

/** Each facet counts by all of the filter but its own part. */
export function countFacets(runs: readonly RunRow[], filter: RunSelection): RunFacetCounts {
  const chosen = runs.filter((run) => matches(run, filter));
  const facets = {} as RunFacetCounts['facets'];
  for (const facet of NAMES) {
    const left =
      filter[facet] === undefined ? chosen : runs.filter((run) => matches(run, { ...filter, [facet]: undefined }));
    const counts = new Map<string, number>();
    for (const run of left)
      for (const value of new Set(FACETS[facet](run))) counts.set(value, (counts.get(value) ?? 0) + 1);
    facets[facet] = [...counts]
      .map(([value, count]) => ({ value, runs: count }))
      .sort((a, b) => b.runs - a.runs || compare(a.value, b.value))
      .slice(0, 500);
  }
  const rangeOf = (name: Range): { min: number; max: number } | null => {
    const values = chosen.map(RANGES[name]).filter((value) => value !== null);
    if (values.length === 0) return null;
    return values.reduce(({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }), {
      min: Infinity,
      max: -Infinity,
    });
  };
  const times = chosen.map(({ createdAt }) => createdAt).sort();
  const [first, last] = [times[0], times.at(-1)];
  return {
    total: chosen.length,
    facets,
    ranges: {
      score: rangeOf('score'),
      steps: rangeOf('steps'),
      cost: rangeOf('cost'),
      tokens: rangeOf('tokens'),
      duration: rangeOf('duration'),
      created: first === undefined || last === undefined ? null : { min: first, max: last },
    },
  };
}
