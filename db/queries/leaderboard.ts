import { rankingNote } from '../../domain/mlgym/tasks.js';
import type { LeaderboardOptions, Leaderboard, LeaderboardRow } from '../../domain/views/leaderboard.js';
import type { Statements } from '../statements.js';
import { savedComparison, comparisonState } from './comparisons.js';
import { refuseUnknownProfile } from './known-profiles.js';
import { boardCells } from './leaderboard-cells.js';
import { choicesOf, statedComparison } from './leaderboard-choices.js';
import { flaggedRuns, modelPrices, rowCosts } from './leaderboard-extras.js';
import { keptFigures } from './leaderboard-figures.js';
import { comparedAttempts } from '../../domain/statistics/leaderboard-intervals.js';
import { ratiosByMethod, stepsOf } from './leaderboard-ratios.js';
import { scopeOf } from './leaderboard-scope.js';
import { boardRows, inOrder, type RowParts } from './leaderboard-rows.js';
import { readComparison, type Area, type Found } from './leaderboard-statements.js';

const BASELINE = 'baseline';

export async function leaderboard(run: Statements, asked: LeaderboardOptions): Promise<Leaderboard> {
  if (asked.profile !== undefined) await refuseUnknownProfile(run, asked.profile);
  const saved = asked.view === undefined ? null : await savedComparison(run, asked.view);
  const chosen = choicesOf(asked, saved);
  const choices = { ...chosen, ...(await scopeOf(run, chosen)) };
  const { mode, order, kind, profile, sample, batchId } = choices;
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
  const extras = Promise.all([
    flaggedRuns(run, selection),
    rowCosts(run, selection),
    modelPrices(run, selection.models),
  ]);
  // Handled where it is awaited, after the figures.
  extras.catch(() => {});
  const ratiosOf = ratiosByMethod(result.ratios);
  const cells = boardCells(result.cells, { tasks, ratiosOf });
  const axis = areas[0]?.axis ?? null;
  const compared = comparedAttempts(cells);
  const figures = await keptFigures(run, compared, axis !== null && choices.intervals ? { order, kind } : null);
  const profileOf = (method: string): LeaderboardRow['profile'] => {
    const ratios = ratiosOf.get(method);
    if (axis === null || ratios === undefined) return null;
    return { best: stepsOf(ratios, 'best', mode, axis), last: stepsOf(ratios, 'last', mode, axis) };
  };
  const areaOf = new Map(areas.map(({ method, axis: _, ...area }) => [method, area]));
  const [flags, costs, prices] = await extras;
  const rows = boardRows(models, { areaOf, withFlagged, cells, compared, figures, flags, costs, profileOf });
  return {
    comparison: statedComparison(choices, {
      models: [...new Set(rows.map(({ model }) => model))].sort(),
      tasks: [...tasks.keys()],
      axis,
      separation: figures.intervals?.separation ?? null,
      priceList: costs.list,
      prices,
      otherProfiles: others,
      saved: saved === null ? null : await comparisonState(run, saved),
    }),
    tasks: [...tasks.values()],
    baseline: baselineOf(areaOf.get(BASELINE), result.starter, profileOf),
    rows: order === 'rank' ? rows : inOrder(rows, (row) => row.winRate?.[kind] ?? null),
  };
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
        profile: profileOf(BASELINE)!,
      };
