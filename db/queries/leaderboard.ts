import { BenchError } from '../../domain/errors.js';
import { improves } from '../../domain/statistics/gain.js';
import { orderMeant } from '../../domain/leaderboard-order.js';
import { rankingNote } from '../../domain/mlgym/tasks.js';
import { profileMeant } from '../../domain/task-profile.js';
import type { Statements } from '../statements.js';
import { baselinesOf, comparisonState, scalesOf, savedComparison, tasksAtContracts } from './comparisons.js';
import { groupBy } from '../../domain/group-by.js';
import { refuseUnknownProfile } from './known-profiles.js';
import { anyFlagged, flaggedRuns, otherProfiles, rowCosts } from './leaderboard-extras.js';
import { type BoardCell, boardCells, type CellRow, methodOf } from './leaderboard-cells.js';
import { type Figures, keptFigures } from './leaderboard-figures.js';
import { type Compared, comparedAttempts } from './leaderboard-intervals.js';
import { type RatioRow, ratiosByMethod, stepsOf } from './leaderboard-ratios.js';
import type { Columns } from './columns.js';
import type { SavedComparison } from '../../domain/views/comparisons.js';
import type {
  Leaderboard,
  LeaderboardOptions,
  LeaderboardOrder,
  LeaderboardRow,
  LeaderboardTask,
} from '../../domain/views/leaderboard.js';

type Extras = Pick<
  LeaderboardRow,
  'withSuspects' | 'flags' | 'recordedCostUsd' | 'recordedCostPerRunUsd' | 'listCostUsd' | 'listCostPerRunUsd'
>;
type Headline = Pick<LeaderboardRow, 'winRate' | 'gain' | 'curve'>;
type ModelRow = Omit<LeaderboardRow, keyof Area | keyof Extras | keyof Headline | 'scores' | 'intervals' | 'profile'>;
type Area = Pick<LeaderboardRow, 'bestAup' | 'lastAup' | 'improvedTasks' | 'missingTasks' | 'notRunTasks'>;
type SuspectArea = NonNullable<LeaderboardRow['withSuspects']> & { method: string };
interface Found {
  tasks: Omit<LeaderboardTask, 'ranking'>[];
  cells: Columns<CellRow>;
  models: ModelRow[];
  areas: (Omit<Area, 'improvedTasks'> & { method: string; axis: number })[];
  ratios: Columns<RatioRow>;
  starter: { averageRank: number; borda: number } | null;
}

const BASELINE = 'baseline';
const NO_AREA: Area = { bestAup: null, lastAup: null, improvedTasks: null, missingTasks: null, notRunTasks: null };

/**
 * Every figure but headlines and intervals (leaderboard-figures.ts) comes from SQL functions. The comparison is one statement, hence one snapshot, over one grid, which
 * is computed once.
 */
const STATEMENT = (metric: 'best' | 'last', suffix: '_strict' | '') => `
  with given as materialized (
    select array_agg(l order by l.task, l.model, l.model_kind, l.isolation) as grid
    from leaderboard($1, $2::text[], $3::text[], $4::int, $5, $6, $7, $9, $10, $11::float8[], $12, $13::float8[], $14::float8[]) l
  ),
  compared as materialized (select compared_cells(grid) as cells from given)
  select
    (select coalesce(json_agg(json_build_object(
       'task', t.task, 'name', (
         select v.name from task_versions v where v.task_id = t.task and v.contract = t.contract
         order by v.created_at desc limit 1
       ), 'contract', t.contract, 'primary', t.primary_metric, 'direction', t.direction, 'baseline', t.baseline,
       'standardError', t.standard_error, 'target', t.target, 'compared', t.compared
     ) order by t.task), '[]')
     from (
       select l.task, l.contract, l.primary_metric, l.direction, l.baseline, l.standard_error, l.target, bool_or(l.compared) as compared
       from given, unnest(given.grid) l group by 1, 2, 3, 4, 5, 6, 7
     ) t) as tasks,
    (select json_build_object(
       'model', json_agg(l.model), 'kind', json_agg(l.model_kind), 'isolation', json_agg(l.isolation),
       'task', json_agg(l.task), 'compared', json_agg(l.compared), 'ran', json_agg(l.ran),
       'best', json_agg(l.best_attempt), 'last', json_agg(l.best_submission), 'mean', json_agg(l.mean),
       'bestRank', json_agg(l.best_rank), 'lastRank', json_agg(l.last_rank),
       'bestRun', json_agg(l.best_run), 'lastRun', json_agg(l.best_submission_run),
       'bestAttempts', json_agg(l.best_attempts), 'lastAttempts', json_agg(l.last_attempts),
       'attempts', json_agg(l.attempts), 'ended', json_agg(l.ended), 'counted', json_agg(l.counted), 'scored', json_agg(l.scored),
       'infraErrors', json_agg(l.infra_errors), 'configErrors', json_agg(l.config_errors),
       'cancelled', json_agg(l.cancelled), 'suspect', json_agg(l.suspects),
       'costUsd', json_agg(trim_scale(l.cost_usd)::text)
     )
     from given, unnest(given.grid) l) as cells,
    (select coalesce(json_agg(json_build_object(
       'rank', m.${metric}_place, 'unranked', m.unranked, 'model', m.model, 'kind', m.model_kind,
       'isolation', m.isolation, 'averageRank', m.average_${metric}_rank, 'borda', m.${metric}_borda,
       'attempts', m.attempts, 'ended', m.ended, 'infraErrors', m.infra_errors, 'configErrors', m.config_errors,
       'cancelled', m.cancelled, 'suspect', m.suspects, 'costUsd', trim_scale(m.cost_usd)::text,
       'costPerRunUsd', trim_scale(round(m.cost_per_run_usd, 10))::text,
       'inputTokens', m.input_tokens, 'outputTokens', m.output_tokens
     ) order by m.${metric}_place nulls last, m.model, m.model_kind, m.isolation), '[]')
     from given, rank_models(given.grid) m) as models,
    (select coalesce(json_agg(json_build_object(
       'method', a.method, 'axis', a.axis, 'bestAup', a.best_aup${suffix}, 'lastAup', a.last_aup${suffix},
       'missingTasks', a.missing, 'notRunTasks', a.not_run
     )), '[]')
     from compared, areas_under_profiles(compared.cells, fixed_axis => $8) a) as areas,
    (select json_build_object(
       'method', json_agg(r.method), 'task', json_agg(r.task), 'kind', json_agg(r.kind), 'status', json_agg(r.status),
       'ratio', json_agg(r.ratio)
     )
     from compared, performance_ratios(compared.cells) r) as ratios,
    (select json_build_object('averageRank', b.average_${metric}_rank, 'borda', b.${metric}_borda)
     from given, baseline_ranks(given.grid) b) as starter`;

/** The areas alone. */
const AREAS = (suffix: '_strict' | '') => `
  with compared as materialized (
    select compared_cells(array_agg(l order by l.task, l.model, l.model_kind, l.isolation)) as cells
    from leaderboard($1, $2::text[], $3::text[], $4::int, $5, $6, $7, $9, $10, $11::float8[], $12, $13::float8[], $14::float8[]) l
  )
  select a.method, a.best_aup${suffix} as "bestAup", a.last_aup${suffix} as "lastAup"
  from compared, areas_under_profiles(compared.cells, fixed_axis => $8) a`;

export async function leaderboard(run: Statements, asked: LeaderboardOptions): Promise<Leaderboard> {
  if (asked.profile !== undefined) await refuseUnknownProfile(run, asked.profile);
  const saved = asked.comparison === undefined ? null : await savedComparison(run, asked.comparison);
  const choices = choicesOf(asked, saved);
  const { options, mode, order, kind, profile, sample, resamples, seed, batchId } = choices;
  const { result, withFlagged, others } = await readComparison(run, choices, saved);
  const { models, areas } = result;
  const tasks = new Map(result.tasks.map((one) => [one.task, { ...one, ranking: rankingNote(one) }]));
  const selection = {
    batchId,
    tasks: [...tasks.keys()],
    contracts: [...tasks.values()].map(({ contract }) => contract),
    models: [...new Set(models.map(({ model }) => model))],
    sample,
    profile,
  };
  const extras = Promise.all([flaggedRuns(run, selection), rowCosts(run, selection)]);
  // Handled where it is awaited, after the figures.
  extras.catch(() => {});
  const ratiosOf = ratiosByMethod(result.ratios);
  const cells = boardCells(result.cells, { tasks, ratiosOf, estimateK: options.estimateK });
  const axis = areas[0]?.axis ?? null;
  const compared = comparedAttempts(cells);
  const figures = await keptFigures(run, compared, {
    intervals: axis === null || resamples === 0 ? null : { mode, axis, resamples, seed, order, kind },
  });
  const profileOf = (method: string): LeaderboardRow['profile'] => {
    const ratios = ratiosOf.get(method);
    if (axis === null || ratios === undefined) return null;
    return { best: stepsOf(ratios, 'best', mode, axis), last: stepsOf(ratios, 'last', mode, axis) };
  };
  const areaOf = new Map(areas.map(({ method, axis: _, ...area }) => [method, area]));
  const [flags, costs] = await extras;
  const rows = boardRows(models, { areaOf, withFlagged, cells, compared, figures, flags, costs, profileOf });
  return {
    comparison: statedComparison(choices, {
      models: [...new Set(rows.map(({ model }) => model))].sort(),
      tasks: [...tasks.keys()],
      axis,
      separation: figures.intervals?.separation ?? null,
      priceList: costs.list,
      otherProfiles: others,
      saved: saved === null ? null : await comparisonState(run, saved),
    }),
    tasks: [...tasks.values()],
    baseline: baselineOf(areaOf.get(BASELINE), result.starter, profileOf),
    rows: order === 'rank' ? rows : inOrder(rows, orderedBy(order, kind)),
  };
}

type Choices = ReturnType<typeof choicesOf>;

/** The options, with those of the saved comparison and with defaults. */
function choicesOf(asked: LeaderboardOptions, saved: SavedComparison | null) {
  const options =
    saved === null
      ? asked
      : {
          ...asked,
          ...saved.options,
          metric: asked.metric ?? saved.options.metric,
          order: asked.order ?? saved.options.order,
        };
  const mode = options.mode ?? 'strict';
  const metric = options.metric ?? 'best-attempt';
  const {
    includeLocal = false,
    includeImported = false,
    includeScripted = false,
    sample = false,
    resamples = 0,
    seed = 1,
  } = options;
  return {
    options,
    mode,
    metric,
    kind: metric === 'best-submission' ? ('last' as const) : ('best' as const),
    order: orderMeant(options.order, mode),
    includeSuspect: options.includeSuspect ?? mode === 'compat',
    includeLocal,
    includeImported,
    includeScripted,
    sample,
    resamples,
    seed,
    profile: profileMeant(options.profile, sample),
    tasks: (saved === null ? options.tasks : tasksAtContracts(saved.options)) ?? null,
    models: options.models ?? null,
    batchId: options.batchId ?? null,
  };
}

type Comparison = Leaderboard['comparison'];
type FoundComparison = Pick<Comparison, 'models' | 'tasks' | 'separation' | 'priceList' | 'otherProfiles' | 'saved'> & {
  axis: Comparison['T'];
};

/** The document states the choices that were made and what was compared. */
const statedComparison = ({ options, ...choices }: Choices, found: FoundComparison): Comparison => ({
  models: found.models,
  tasks: found.tasks,
  k: options.k ?? null,
  T: found.axis,
  fixedT: options.axis !== undefined,
  mode: choices.mode,
  metric: choices.metric,
  order: choices.order,
  separation: found.separation,
  priceList: found.priceList,
  includeSuspect: choices.includeSuspect,
  includeLocal: choices.includeLocal,
  includeImported: choices.includeImported,
  includeScripted: choices.includeScripted,
  sample: choices.sample,
  profile: choices.profile,
  otherProfiles: found.otherProfiles,
  batchId: choices.batchId,
  resamples: choices.resamples,
  seed: choices.seed,
  estimateK: options.estimateK ?? null,
  saved: found.saved,
});

/** Parameters of STATEMENT and AREAS. */
const parametersOf = ({ options, ...choices }: Choices, saved: SavedComparison | null, suspect: boolean): unknown[] => [
  choices.batchId,
  choices.models,
  choices.tasks,
  options.k ?? null,
  suspect,
  choices.includeLocal,
  choices.includeScripted,
  options.axis ?? 0,
  choices.sample,
  choices.profile,
  saved === null ? null : baselinesOf(saved.options),
  choices.includeImported,
  ...(saved === null ? [null, null] : scalesOf(saved.options)),
];

/** The comparison, the areas with flagged runs, and the profiles that were left out. */
async function readComparison(run: Statements, choices: Choices, saved: SavedComparison | null) {
  const { mode, kind, batchId, tasks, models, sample, profile, includeSuspect, includeScripted } = choices;
  const suffix = mode === 'strict' ? '_strict' : '';
  // Most often nothing is flagged, and the areas are the same.
  const areasWithFlagged = async () =>
    (await anyFlagged(run, batchId))
      ? run<SuspectArea>('withSuspects', AREAS(suffix), parametersOf(choices, saved, true))
      : [];
  // Statements run side by side where none needs what another finds.
  const [[result], withFlagged, others] = await Promise.all([
    run<Found>('leaderboard', STATEMENT(kind, suffix), parametersOf(choices, saved, includeSuspect)),
    includeSuspect ? [] : areasWithFlagged(),
    otherProfiles(run, { batchId, tasks, models, sample, profile, includeScripted }),
  ]);
  if (result === undefined) throw new BenchError('failed', 'the database returned no leaderboard');
  return { result, withFlagged, others };
}

interface RowParts {
  areaOf: ReadonlyMap<string, Omit<Area, 'improvedTasks'>>;
  withFlagged: readonly SuspectArea[];
  cells: readonly BoardCell[];
  compared: Compared;
  figures: Figures;
  flags: Awaited<ReturnType<typeof flaggedRuns>>;
  costs: Awaited<ReturnType<typeof rowCosts>>;
  profileOf: (method: string) => LeaderboardRow['profile'];
}

function boardRows(models: readonly ModelRow[], parts: RowParts): LeaderboardRow[] {
  const { areaOf, withFlagged, cells, compared, figures, flags, costs, profileOf } = parts;
  const flagged = models.some(({ unranked, suspect }) => unranked === null && suspect > 0);
  const cellsOf = groupBy(cells, ({ method }) => method);
  const placeOf = new Map(compared.methods.map((method, place) => [method, place]));
  const withSuspectsOf = new Map((flagged ? withFlagged : []).map(({ method, ...area }) => [method, area]));
  const flagsOf = groupBy(flags, methodOf);
  const recordedOf = new Map(costs.recorded.map((one) => [methodOf(one), one]));
  const listedOf = new Map(costs.listed.map((one) => [methodOf(one), one]));
  return models.map((row): LeaderboardRow => {
    const method = methodOf(row);
    const place = placeOf.get(method);
    const recorded = recordedOf.get(method);
    const scores: LeaderboardRow['scores'] = {};
    for (const cell of cellsOf.get(method) ?? []) scores[cell.of.task] = cell.score;
    return {
      ...row,
      ...(place === undefined ? NO_HEADLINE : figures.headlines[place]!),
      ...areaWith(areaOf.get(method), cellsOf.get(method) ?? []),
      withSuspects: row.unranked === null ? (withSuspectsOf.get(method) ?? null) : null,
      flags: Object.fromEntries((flagsOf.get(method) ?? []).map(({ rule, runs }) => [rule, runs])),
      costPerRunUsd: recorded === undefined ? row.costPerRunUsd : perRun(row.costUsd, row.ended - recorded.runs),
      recordedCostUsd: recorded?.totalUsd ?? null,
      recordedCostPerRunUsd: recorded?.perRunUsd ?? null,
      listCostUsd: listedOf.get(method)?.totalUsd ?? null,
      listCostPerRunUsd: listedOf.get(method)?.perRunUsd ?? null,
      intervals: place === undefined ? null : (figures.intervals?.byMethod[place] ?? null),
      profile: profileOf(method),
      scores,
    };
  });
}

const baselineOf = (
  area: Omit<Area, 'improvedTasks'> | undefined,
  starter: Found['starter'],
  profileOf: RowParts['profileOf'],
): Leaderboard['baseline'] =>
  area?.bestAup == null || area.lastAup === null
    ? null
    : {
        bestAup: area.bestAup,
        lastAup: area.lastAup,
        averageRank: starter?.averageRank ?? null,
        borda: starter?.borda ?? null,
        profile: profileOf(BASELINE)!,
      };

/** Improved is what gains: AUP's feasible scores may be the baseline's own, or its noise. */
const areaWith = (area: Omit<Area, 'improvedTasks'> | undefined, cells: readonly BoardCell[]): Area =>
  area === undefined
    ? NO_AREA
    : {
        ...area,
        improvedTasks: cells.filter(({ of, compared, ran, score }) => compared && ran && improves(of, score.best))
          .length,
      };

/** What a row is ordered by: more is better; null: nothing is known. */
const orderedBy =
  (order: Exclude<LeaderboardOrder, 'rank'>, kind: 'best' | 'last') =>
  (row: LeaderboardRow): number | null =>
    order === 'aup'
      ? row[kind === 'best' ? 'bestAup' : 'lastAup']
      : (row[order === 'win-rate' ? 'winRate' : order]?.[kind] ?? null);

/** Sums in another order differ in their last digits. */
const SAME = 1e-12;

/** Reranked: those that have a place by average rank, by another figure. `rows` are in the order of models where they are equal. */
function inOrder(rows: readonly LeaderboardRow[], valueOf: (row: LeaderboardRow) => number | null): LeaderboardRow[] {
  const byName = (a: LeaderboardRow, b: LeaderboardRow) =>
    compareText(a.model, b.model) || compareText(a.kind, b.kind) || compareText(a.isolation, b.isolation);
  const key = (row: LeaderboardRow) => valueOf(row) ?? -Infinity;
  const placed = rows
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (Math.abs(key(a) - key(b)) <= SAME || key(a) === key(b) ? byName(a, b) : key(b) - key(a)));
  const ranked = placed.map((row) => ({
    ...row,
    rank: 1 + placed.filter((other) => key(other) > key(row) + SAME).length,
  }));
  return [...ranked, ...rows.filter(({ rank }) => rank === null)];
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const NO_HEADLINE: Headline = { winRate: null, gain: null, curve: null };

/** Beside imported runs: only of those that bench played. */
const perRun = (usd: string, runs: number): string | null =>
  runs === 0 ? null : String(Number((Number(usd) / runs).toFixed(10)));
