import { markedRunsText } from '../../domain/integrity-rules.js';
import { csvText } from '../../report/csv-text.js';
import type { Leaderboard, LeaderboardRow } from '../../domain/views/leaderboard.js';

type Column = [title: string, value: (row: LeaderboardRow) => string | number | null | undefined];

/** A row per model, unrounded; what there is none of is an empty field. */
export function leaderboardCsv(board: Leaderboard): string {
  const columns: Column[] = [
    ['rank', (row) => row.rank],
    ['model', (row) => row.model],
    ['kind', (row) => row.kind],
    ['isolation', (row) => row.isolation],
    ['unranked', (row) => row.unranked],
    ...(['bestAup', 'lastAup'] as const).flatMap((area): Column[] => [
      [area, (row) => row[area]],
      ...(['attempts', 'tasks'] as const).flatMap((over): Column[] => [
        [`${area} low (${over})`, (row) => row.intervals?.[over][area]?.low],
        [`${area} high (${over})`, (row) => row.intervals?.[over][area]?.high],
        [
          `${area} largest (${over})`,
          (row) => row.intervals?.[over].probabilityOfRank1?.[area === 'bestAup' ? 'best' : 'last'],
        ],
      ]),
    ]),
    ...(['bestAup', 'lastAup'] as const).map((area): Column => [
      `${area} with suspects`,
      (row) => row.withSuspects?.[area],
    ]),
    ...(['averageRank', 'borda', 'solvedTasks', 'missingTasks', 'notRunTasks'] as const).map((key): Column => [
      key,
      (row) => row[key],
    ]),
    ...(['attempts', 'ended', 'infraErrors', 'configErrors', 'cancelled', 'suspect'] as const).map((key): Column => [
      key,
      (row) => row[key],
    ]),
    ['marks', (row) => markedRunsText(row.marks).join(', ')],
    ...(
      ['costUsd', 'costPerRunUsd', 'recordedCostUsd', 'recordedCostPerRunUsd', 'inputTokens', 'outputTokens'] as const
    ).map((key): Column => [key, (row) => row[key]]),
    ...board.tasks.flatMap(({ task }): Column[] => [
      [`${task} best`, (row) => row.scores[task]?.best],
      [`${task} last`, (row) => row.scores[task]?.last],
    ]),
  ];
  return csvText([
    columns.map(([title]) => title),
    ...board.rows.map((row) => columns.map(([, value]) => value(row) ?? null)),
  ]);
}
