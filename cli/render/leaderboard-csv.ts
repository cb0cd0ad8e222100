import { flaggedRunsText } from '../../domain/run/integrity-rules.js';
import { renderCsv } from './csv.js';
import type { Leaderboard, LeaderboardRow } from '../../domain/views/leaderboard.js';

type Column = [title: string, value: (row: LeaderboardRow) => string | number | null | undefined];

const FIGURES = [
  ['bestWinRate', (row: LeaderboardRow) => row.winRate?.best],
  ['lastWinRate', (row: LeaderboardRow) => row.winRate?.last],
  ['bestGain', (row: LeaderboardRow) => row.gain?.best],
  ['lastGain', (row: LeaderboardRow) => row.gain?.last],
] as const;

/** A row per model, unrounded; what there is none of is an empty field. */
export function leaderboardCsv(board: Leaderboard): string {
  const columns: Column[] = [
    ['rank', (row) => row.rank],
    ['model', (row) => row.model],
    ['kind', (row) => row.kind],
    ['isolation', (row) => row.isolation],
    ['unranked', (row) => row.unranked],
    ...FIGURES.flatMap(([figure, value]): Column[] => [
      [figure, value],
      [`${figure} low`, (row) => row.intervals?.[figure]?.low],
      [`${figure} high`, (row) => row.intervals?.[figure]?.high],
    ]),
    ['group', (row) => row.intervals?.group],
    ['best P(best)', (row) => row.intervals?.pBest?.best],
    ['last P(best)', (row) => row.intervals?.pBest?.last],
    ['bestAup', (row) => row.bestAup],
    ['lastAup', (row) => row.lastAup],
    ...(['bestAup', 'lastAup'] as const).map((area): Column => [
      `${area} with suspects`,
      (row) => row.withSuspects?.[area],
    ]),
    ...(['averageRank', 'improvedTasks', 'missingTasks', 'notRunTasks'] as const).map((key): Column => [
      key,
      (row) => row[key],
    ]),
    ...(['attempts', 'ended', 'infraErrors', 'configErrors', 'cancelled', 'refused', 'suspect'] as const).map(
      (key): Column => [key, (row) => row[key]],
    ),
    ['flags', (row) => flaggedRunsText(row.flags).join(', ')],
    ...(['costUsd', 'costPerRunUsd', 'costKind', 'unknownCosts', 'inputTokens', 'outputTokens'] as const).map(
      (key): Column => [key, (row) => row[key]],
    ),
    ...board.tasks.flatMap(({ task }): Column[] => [
      [`${task} best`, (row) => row.scores[task]?.best],
      [`${task} last`, (row) => row.scores[task]?.last],
    ]),
  ];
  return renderCsv(
    columns.map(([title]) => title),
    board.rows.map((row) => columns.map(([, value]) => value(row) ?? null)),
  );
}
