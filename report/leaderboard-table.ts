import { flaggedRunsText } from '../domain/run/integrity-rules.js';
import { ORDER_TITLES } from '../domain/results/leaderboard-order.js';
import { intervalOf } from './aup-chart.js';
import { fixed, NONE, percent, usd } from './numbers.js';
import { kindOf, methodLabel, rankedRows, type ReportData } from './report-data.js';
import { spendingOf } from './spending.js';
import { type Column, type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow } from '../domain/views/leaderboard.js';

/** Tasks of the comparison by how the row's score stands to the baseline. */
function taskStates(
  row: LeaderboardRow,
  data: ReportData,
): Record<'feasible' | 'infeasible' | 'missing' | 'not_run', number> {
  const key = kindOf(data.board) === 'best' ? 'bestStatus' : 'lastStatus';
  const states = { feasible: 0, infeasible: 0, missing: 0, not_run: 0 };
  for (const { [key]: status } of Object.values(row.scores)) if (status !== null) states[status]++;
  return states;
}

const flags = (row: LeaderboardRow): string =>
  [
    ...flaggedRunsText(row.flags),
    ...(row.suspect === 0 || Object.keys(row.flags).length > 0 ? [] : [`${row.suspect} suspect`]),
    ...(row.infraErrors === 0 ? [] : [`${row.infraErrors} infrastructure`]),
    ...(row.configErrors === 0 ? [] : [`${row.configErrors} configuration`]),
    ...(row.cancelled === 0 ? [] : [`${row.cancelled} cancelled`]),
    ...(row.isolation === 'none' ? ['no isolation'] : row.isolation === 'import' ? ['imported'] : []),
    ...(row.kind === 'real' ? [] : [row.kind]),
  ].join(', ') || NONE;

function area(row: LeaderboardRow, of: 'bestAup' | 'lastAup', over: ReportData['over']): string {
  return around(row[of], intervalOf(row, over, of));
}

const around = (value: number | null | undefined, interval: { low: number; high: number } | null | undefined): string =>
  interval == null ? fixed(value, 3) : `${fixed(value, 3)} [${fixed(interval.low)}, ${fixed(interval.high)}]`;

/** Chances and gains, where they are known. */
function headlineColumns({ board, over }: ReportData, sampled: boolean): Column<LeaderboardRow>[] {
  const kind = kindOf(board);
  const suffix = sampled ? ' [95 %]' : '';
  return [
    {
      title: `win rate${suffix}`,
      value: (row) =>
        around(row.winRate?.[kind], row.intervals?.[over][kind === 'best' ? 'bestWinRate' : 'lastWinRate']),
      align: 'right',
    },
    ...(board.rows.some(({ gain }) => gain !== null)
      ? [
          {
            title: `mean gain${suffix}`,
            value: (row: LeaderboardRow) =>
              around(row.gain?.[kind], row.intervals?.[over][kind === 'best' ? 'bestGain' : 'lastGain']),
            align: 'right' as const,
          },
        ]
      : []),
    ...(sampled ? [{ title: 'group', value: (row: LeaderboardRow) => row.intervals?.[over].group ?? NONE }] : []),
  ];
}

/** Of k attempts, where a model has more than one at each task; null: none has. */
export function curvesTable(data: ReportData): ReportTable | null {
  const { board } = data;
  const kind = kindOf(board);
  const pointsOf = (row: LeaderboardRow) => row.curve?.[kind] ?? [];
  const rows = rankedRows(board).filter((row) => pointsOf(row).length > 0);
  const most = Math.max(0, ...rows.map((row) => pointsOf(row).length));
  if (most < 2) return null;
  return tableOf(
    'Of k attempts: the expected best gain, and the share of improved tasks',
    [
      { title: 'model', value: (row) => methodLabel(row, board) },
      ...Array.from({ length: most }, (_, i): Column<LeaderboardRow> => ({
        title: `k = ${i + 1}`,
        value: (row) => {
          const point = pointsOf(row)[i];
          return point === undefined ? NONE : `${fixed(point.gain, 3)} · ${percent(point.improved)}`;
        },
        align: 'right',
      })),
    ],
    rows,
  );
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
    `Ranked by ${ORDER_TITLES[board.comparison.order]} of the ${kind === 'best' ? 'best attempts' : 'best submissions'}`,
    [
      { title: 'model', value: (row) => methodLabel(row, board) },
      { title: 'rank', value: (row) => String(row.rank ?? NONE), align: 'right' },
      ...headlineColumns(data, sampled),
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
                const share = row.intervals?.[over].pBest?.[kind];
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
        value: (row) => {
          const { perRunUsd, prices } = spendingOf(row, runs);
          return `${usd(perRunUsd)}${prices === 'own' ? '' : ` ${prices}`}`;
        },
        align: 'right',
      },
      { title: 'flags', value: flags },
    ],
    rankedRows(board),
  );
}
