import type { Colors } from 'picocolors/types.js';
import type { Leaderboard, LeaderboardRow } from '../../db/index.js';
import { formatCost, formatScore } from './format.js';
import { renderTable } from './table.js';
import type { Column } from './table.js';

const cell = (row: LeaderboardRow, task: string, which: 'best' | 'last'): string =>
  formatScore(row.scores[task]?.[which] ?? null);

/** Runs that ended by the infrastructure's or the configuration's fault are always in sight. */
function attempts(row: LeaderboardRow): string {
  const unscored = row.infraErrors + row.configErrors;
  return `${row.ended}/${row.attempts}${unscored === 0 ? '' : ` (${unscored} unscored)`}`;
}

export function renderLeaderboard(board: Leaderboard, colors: Colors): string {
  if (board.rows.length === 0) return 'No runs to rank yet. `bench demo` makes some.';
  const metric = board.comparison.metric === 'best-submission' ? 'best submission' : 'best attempt';
  const tasks = board.tasks.flatMap((task): Column<LeaderboardRow>[] => [
    { title: `${task.task} best`, value: (row) => cell(row, task.task, 'best'), align: 'right' },
    { title: 'last', value: (row) => cell(row, task.task, 'last'), align: 'right' },
  ]);
  const rows = renderTable(
    board.rows,
    [
      { title: '#', value: (row) => (row.rank === null ? '–' : String(row.rank)), align: 'right' },
      { title: 'model', value: (row) => row.model },
      ...tasks,
      { title: 'runs ended', value: attempts, align: 'right' },
      ...(board.rows.some((row) => row.suspect > 0)
        ? [{ title: 'suspect', value: (row: LeaderboardRow) => String(row.suspect), align: 'right' as const }]
        : []),
      { title: 'cost', value: (row) => formatCost(row.costUsd), align: 'right' },
      { title: 'isolation', value: (row) => row.isolation },
    ],
    colors,
  );
  const notes = board.tasks.map(
    (task) =>
      `${task.task}: ${task.primary}, ${task.direction === 'maximize' ? 'higher' : 'lower'} is better` +
      (task.baseline === null ? '' : `, baseline ${formatScore(task.baseline)}`),
  );
  const unranked = new Set(board.rows.map((row) => row.unranked));
  if (unranked.has('kind'))
    notes.push('Not ranked (–): scripted agents, replays and people are not; rank them too with --include-scripted.');
  if (unranked.has('isolation')) {
    notes.push(
      'Not ranked (–): the local backend cannot keep an agent from the answers; see its runs ranked with --include-local.',
    );
  }
  return [
    colors.bold(`Leaderboard by ${metric} (${board.comparison.mode})`),
    '',
    rows,
    '',
    ...notes.map((n) => colors.dim(n)),
  ].join('\n');
}
