import { flaggedRunsText } from '../../domain/run/integrity-rules.js';
import { renderCsv } from './csv.js';
import type { Leaderboard, LeaderboardRow } from '../../domain/views/leaderboard.js';

type Column = [title: string, value: (row: LeaderboardRow) => string | number | null | undefined];

const OVERS = ['attempts', 'tasks'] as const;
const FIGURES = [
  ['bestWinRate', (row: LeaderboardRow) => row.winRate?.best],
  ['lastWinRate', (row: LeaderboardRow) => row.winRate?.last],
  ['bestGain', (row: LeaderboardRow) => row.gain?.best],
  ['lastGain', (row: LeaderboardRow) => row.gain?.last],
  ['bestAup', (row: LeaderboardRow) => row.bestAup],
  ['lastAup', (row: LeaderboardRow) => row.lastAup],
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
      ...OVERS.flatMap((over): Column[] => [
        [`${figure} low (${over})`, (row) => row.intervals?.[over][figure]?.low],
        [`${figure} high (${over})`, (row) => row.intervals?.[over][figure]?.high],
      ]),
    ]),
    ...OVERS.flatMap((over): Column[] => [
      [`group (${over})`, (row) => row.intervals?.[over].group],
      ...(['best', 'last'] as const).map((kind): Column => [
        `${kind} first (${over})`,
        (row) => row.intervals?.[over].pBest?.[kind],
      ]),
    ]),
    ...(['bestAup', 'lastAup'] as const).map((area): Column => [
      `${area} with suspects`,
      (row) => row.withSuspects?.[area],
    ]),
    ...(['averageRank', 'borda', 'improvedTasks', 'missingTasks', 'notRunTasks'] as const).map((key): Column => [
      key,
      (row) => row[key],
    ]),
    ...(['attempts', 'ended', 'infraErrors', 'configErrors', 'cancelled', 'suspect'] as const).map((key): Column => [
      key,
      (row) => row[key],
    ]),
    ['flags', (row) => flaggedRunsText(row.flags).join(', ')],
    ...(
      [
        'costUsd',
        'costPerRunUsd',
        'recordedCostUsd',
        'recordedCostPerRunUsd',
        'listCostUsd',
        'listCostPerRunUsd',
        'inputTokens',
        'outputTokens',
      ] as const
    ).map((key): Column => [key, (row) => row[key]]),
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
