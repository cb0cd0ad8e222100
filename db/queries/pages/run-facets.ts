import { RUN_FACETS, type RunFacet, type RunSelection } from '../../../domain/requests/run-filter.js';
import type { RunFacetCounts } from '../../../domain/views/run-page.js';
import type { Statements } from '../../statements.js';
import { isoTime } from '../summaries.js';
import {
  allOf,
  FACET_VALUES,
  FLAGS,
  RUN_RELATIONS,
  RUN_SECONDS,
  RUN_TOKENS,
  runConditions,
  VERSIONS,
} from './run-conditions.js';

/** Values that are listed of each; there may be thousands of batches. */
const SHOWN = 500;

type Range = { min: number; max: number } | null;
interface Ranges {
  total: number;
  score: Range;
  steps: Range;
  cost: Range;
  tokens: Range;
  duration: Range;
  first: Date | null;
  last: Date | null;
}

const range = (sql: string): string =>
  `case when max(${sql}) is not null then json_build_object('min', min(${sql})::float8, 'max', max(${sql})::float8) end`;

/** Facets without a choice count the same runs: one pass serves them all. */
export async function runFacets(run: Statements, filter: RunSelection): Promise<RunFacetCounts> {
  const chosen = RUN_FACETS.filter((facet) => filter[facet] !== undefined);
  const free = RUN_FACETS.filter((facet) => filter[facet] === undefined);
  const [ranges, together, ...apart] = await Promise.all([
    rangesOf(run, filter),
    counts(run, filter, free),
    ...chosen.map((facet) => counts(run, { ...filter, [facet]: undefined }, [facet])),
  ]);
  const { total, first, last, ...numbers } = ranges;
  const found = Object.assign(together, ...apart) as RunFacetCounts['facets'];
  const created = first === null || last === null ? null : { min: isoTime(first), max: isoTime(last) };
  return { total, facets: found, ranges: { ...numbers, created } };
}

async function rangesOf(run: Statements, filter: RunSelection): Promise<Ranges> {
  const values: unknown[] = [];
  const where = allOf(runConditions(filter, values).values());
  const [row] = await run<Ranges>(
    'runRanges',
    `with ${VERSIONS}
     select count(*)::int as total, ${range('r.best_score')} as score, ${range('r.step')} as steps,
       ${range('r.cost_usd')} as cost, ${range(RUN_TOKENS)} as tokens, ${range(RUN_SECONDS)} as duration,
       min(r.created_at) as first, max(r.created_at) as last
     from ${RUN_RELATIONS} where ${where}`,
    values,
  );
  return row!;
}

async function counts(
  run: Statements,
  filter: RunSelection,
  facets: readonly RunFacet[],
): Promise<Partial<RunFacetCounts['facets']>> {
  const found: Partial<RunFacetCounts['facets']> = Object.fromEntries(facets.map((facet) => [facet, []]));
  if (facets.length === 0) return found;
  const values: unknown[] = [];
  const where = allOf(runConditions(filter, values).values());
  const columns = facets.map((facet) => `${facet === 'flag' ? FLAGS : FACET_VALUES[facet]} as "${facet}"`).join(', ');
  const plain = facets.filter((facet) => facet !== 'flag');
  const bySet =
    plain.length === 0
      ? []
      : [
          `select (array[${plain.map((facet) => `'${facet}'`).join(', ')}])[facet_number] as facet, value, runs from (
             select case ${plain.map((facet, i) => `when grouping("${facet}") = 0 then ${i + 1}`).join(' ')} end as facet_number,
               coalesce(${plain.map((facet) => `"${facet}"`).join(', ')}) as value, count(*)::int as runs
             from matched group by grouping sets (${plain.map((facet) => `("${facet}")`).join(', ')})
           ) sets where value is not null`,
        ];
  const flags = facets.includes('flag')
    ? [
        `select 'flag' as facet, one.rule as value, count(*)::int as runs from matched, unnest(matched."flag") as one (rule) group by 2`,
      ]
    : [];
  const rows = await run<{ facet: RunFacet; value: string; runs: number }>(
    'runFacets',
    `with ${VERSIONS}, matched as materialized (select ${columns} from ${RUN_RELATIONS} where ${where})
     select facet, value, runs from (
       select *, row_number() over (partition by facet order by runs desc, value) as place
       from (${[...bySet, ...flags].join(' union all ')}) counted
     ) placed where place <= ${SHOWN} order by facet, place`,
    values,
  );
  for (const { facet, value, runs } of rows) found[facet]?.push({ value, runs });
  return found;
}
