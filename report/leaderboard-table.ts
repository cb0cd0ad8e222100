import { markedRunsText } from '../domain/integrity-rules.js';
import { intervalOf } from './aup-chart.js';
import { fixed, NONE, percent, usd } from './numbers.js';
import { kindOf, methodLabel, rankedRows, type ReportData } from './report-data.js';
import { spendingOf } from './spending.js';
import { type Column, type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow } from '../domain/views/leaderboard.js';

/** Tasks of the comparison by how the row's score stands to the baseline. */
export function taskStates(
  row: LeaderboardRow,
  data: ReportData,
): Record<'feasible' | 'infeasible' | 'missing' | 'not_run', number> {
  const key = kindOf(data.board) === 'best' ? 'bestStatus' : 'lastStatus';
  const states = { feasible: 0, infeasible: 0, missing: 0, not_run: 0 };
  for (const { [key]: status } of Object.values(row.scores)) if (status !== null) states[status]++;
  return states;
}

export const marks = (row: LeaderboardRow): string =>
  [
    ...markedRunsText(row.marks),
    ...(row.suspect === 0 || Object.keys(row.marks).length > 0 ? [] : [`${row.suspect} suspect`]),
    ...(row.infraErrors === 0 ? [] : [`${row.infraErrors} infrastructure`]),
    ...(row.configErrors === 0 ? [] : [`${row.configErrors} configuration`]),
    ...(row.cancelled === 0 ? [] : [`${row.cancelled} cancelled`]),
    ...(row.isolation === 'none' ? ['no isolation'] : row.isolation === 'import' ? ['imported'] : []),
    ...(row.kind === 'real' ? [] : [row.kind]),
  ].join(', ') || NONE;

function area(row: LeaderboardRow, of: 'bestAup' | 'lastAup', over: ReportData['over']): string {
  const interval = intervalOf(row, over, of);
  const value = fixed(row[of], 3);
  return interval === null ? value : `${value} [${fixed(interval.low)}, ${fixed(interval.high)}]`;
}

export function leaderboardTable(data: ReportData): ReportTable {
  const { board, over, runs } = data;
  const sampled = board.rows.some(({ intervals }) => intervals !== null);
  const states = (['feasible', 'infeasible', 'missing', 'not_run'] as const).map((state): Column<LeaderboardRow> => ({
    title: { feasible: 'feasible', infeasible: 'infeasible', missing: 'no score', not_run: 'not run' }[state],
    value: (row) => String(taskStates(row, data)[state]),
    align: 'right',
  }));
  const kind = kindOf(board);
  return tableOf(
    `Ranked by average rank of the ${kind === 'best' ? 'best attempts' : 'best submissions'}`,
    [
      { title: 'model', value: (row) => methodLabel(row, board) },
      { title: 'rank', value: (row) => String(row.rank ?? NONE), align: 'right' },
      { title: 'average rank', value: (row) => fixed(row.averageRank), align: 'right' },
      { title: `AUP best${sampled ? ' [95 %]' : ''}`, value: (row) => area(row, 'bestAup', over), align: 'right' },
      { title: `AUP last${sampled ? ' [95 %]' : ''}`, value: (row) => area(row, 'lastAup', over), align: 'right' },
      ...(board.rows.some(({ withSuspects }) => withSuspects !== null)
        ? [
            {
              title: `AUP ${kind} with suspects`,
              value: ({ withSuspects }: LeaderboardRow) =>
                fixed(withSuspects?.[kind === 'best' ? 'bestAup' : 'lastAup'], 3),
              align: 'right' as const,
            },
          ]
        : []),
      ...(sampled
        ? [
            {
              title: 'P(best)',
              value: (row: LeaderboardRow) => {
                const share = row.intervals?.[over].probabilityOfRank1?.[kind];
                if (share === undefined) return NONE;
                // Draws that never came are not impossible.
                return share < 0.005 ? '< 1 %' : share > 0.995 ? '> 99 %' : percent(share);
              },
              align: 'right' as const,
            },
          ]
        : []),
      ...states,
      { title: 'runs (ended/all)', value: (row) => `${row.ended}/${row.attempts}`, align: 'right' },
      {
        title: '$ per run',
        value: (row) => `${usd(spendingOf(row, runs).perRunUsd)}${row.recordedCostUsd === null ? '' : ' recorded'}`,
        align: 'right',
      },
      { title: 'marks', value: marks },
    ],
    rankedRows(board),
  );
}
