import { rowsShown } from './breakdowns.js';
import { NONE, score } from './numbers.js';
import { kindOf, methodLabel, type ReportData } from './report-data.js';
import { type ReportTable, tableOf } from './table.js';
import type { LeaderboardRow, LeaderboardTask } from '../domain/views/leaderboard.js';

/** Upper ends of the shades: factors to the best score of the task. */
export const SHADES = [1.0001, 1.1, 1.5, 3, Infinity];

function cellOf(
  row: LeaderboardRow,
  { task }: LeaderboardTask,
  kind: 'best' | 'last',
): { text: string; shade: string } {
  const cell = row.scores[task];
  const [status, ratio] = kind === 'best' ? [cell?.bestStatus, cell?.bestRatio] : [cell?.lastStatus, cell?.lastRatio];
  const value = score(cell?.[kind]);
  if (cell === undefined || (cell.attempts === 0 && cell[kind] === null)) return { text: NONE, shade: 'none' };
  if (status === 'not_run') return { text: 'not run', shade: 'none' };
  if (cell[kind] === null)
    return { text: cell.ended < cell.attempts ? 'running' : cell.suspect > 0 ? 'suspect' : 'no score', shade: 'none' };
  if (status === 'infeasible') return { text: `${value} · below baseline`, shade: 'below' };
  if (ratio === null || ratio === undefined) return { text: value, shade: '' };
  const factor = ratio <= SHADES[0]! ? 'best' : `${Number(ratio.toPrecision(3)).toLocaleString('en-US')}×`;
  return { text: `${value} · ${factor}`, shade: `heat-${SHADES.findIndex((end) => ratio <= end)}` };
}

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
        value: (task: LeaderboardTask) => cellOf(row, task, kind).text,
        shade: (task: LeaderboardTask) => cellOf(row, task, kind).shade,
        align: 'right' as const,
      })),
    ],
    data.board.tasks,
  );
}
