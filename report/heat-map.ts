import { rowsShown } from './breakdowns.js';
import { heatCell } from './heat-cell.js';
import { score } from './numbers.js';
import { kindOf, methodLabel, type ReportData } from './report-data.js';
import { type ReportTable, tableOf } from './table.js';
import type { LeaderboardTask } from '../domain/views/leaderboard.js';

/** Tasks by models: the score, its factor to the best of the task, and a shade by that. */
export function heatMap(data: ReportData): ReportTable {
  const kind = kindOf(data.board);
  return tableOf(
    `${kind === 'best' ? 'Best attempt' : 'Best submission'} of each model at each task, and its factor to the best`,
    [
      {
        title: 'task',
        value: (task) => `${task.task} ${task.direction === 'maximize' ? '↑' : '↓'} ${task.primary}`,
      },
      { title: 'baseline', value: (task) => score(task.baseline), align: 'right' },
      ...(data.board.tasks.some(({ target }) => target !== null)
        ? [{ title: 'target', value: (task: LeaderboardTask) => score(task.target), align: 'right' as const }]
        : []),
      ...rowsShown(data).map((row) => ({
        title: methodLabel(row, data.board),
        value: (task: LeaderboardTask) => heatCell(row, task, kind).text,
        shade: (task: LeaderboardTask) => heatCell(row, task, kind).shade,
        align: 'right' as const,
      })),
    ],
    data.board.tasks,
  );
}
