import { improves } from '../../domain/statistics/gain.js';
import type { LeaderboardRow } from '../../domain/views/leaderboard.js';
import { groupBy } from '../../domain/text/group-by.js';
import { type BoardCell, methodOf } from './leaderboard-cells.js';
import { type flaggedRuns, rowCost, type rowCosts } from './leaderboard-extras.js';
import type { Figures } from './leaderboard-figures.js';
import type { Compared } from '../../domain/statistics/leaderboard-intervals.js';
import type { Area, SuspectArea, ModelRow, Headline } from './leaderboard-statements.js';

const NO_AREA: Area = { bestAup: null, lastAup: null, improvedTasks: null, missingTasks: null, notRunTasks: null };

export interface RowParts {
  areaOf: ReadonlyMap<string, Omit<Area, 'improvedTasks'>>;
  withFlagged: readonly SuspectArea[];
  cells: readonly BoardCell[];
  compared: Compared;
  figures: Figures;
  flags: Awaited<ReturnType<typeof flaggedRuns>>;
  costs: Awaited<ReturnType<typeof rowCosts>>;
  profileOf: (method: string) => LeaderboardRow['profile'];
}

export function boardRows(models: readonly ModelRow[], parts: RowParts): LeaderboardRow[] {
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
    const area = areaOf.get(method);
    const suspects = withSuspectsOf.get(method);
    const differs = suspects?.bestAup !== area?.bestAup || suspects?.lastAup !== area?.lastAup;
    const scores: LeaderboardRow['scores'] = {};
    for (const cell of cellsOf.get(method) ?? []) scores[cell.of.task] = cell.score;
    return {
      ...row,
      ...(place === undefined ? NO_HEADLINE : figures.headlines[place]!),
      ...areaWith(area, cellsOf.get(method) ?? []),
      withSuspects: row.unranked === null && suspects !== undefined && differs ? suspects : null,
      flags: Object.fromEntries((flagsOf.get(method) ?? []).map(({ rule, runs }) => [rule, runs])),
      ...rowCost(row, recordedOf.get(method), listedOf.get(method)),
      intervals: place === undefined ? null : (figures.intervals?.byMethod[place] ?? null),
      profile: profileOf(method),
      scores,
    };
  });
}

/** Improved is what gains: AUP's feasible scores may be the baseline's own, or its noise. */
const areaWith = (area: Omit<Area, 'improvedTasks'> | undefined, cells: readonly BoardCell[]): Area =>
  area === undefined
    ? NO_AREA
    : {
        ...area,
        improvedTasks: cells.filter(({ of, compared, ran, score }) => compared && ran && improves(of, score.best))
          .length,
      };

/** Sums in another order differ in their last digits. */
const SAME = 1e-12;

/** Ranks those with an average rank by another figure. Equal ones keep the order of `rows`. */
export function inOrder(
  rows: readonly LeaderboardRow[],
  valueOf: (row: LeaderboardRow) => number | null,
): LeaderboardRow[] {
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
