import { NONE, formatScore } from '../../../domain/text/format.js';
import type { LeaderboardRow, LeaderboardTask } from '../../../domain/views/leaderboard.js';

/** Upper ends of the shades: factors to the best score of the task. */
const SHADES = [1.0001, 1.1, 1.5, 3, Infinity];

/** What a leaderboard's row has at a task: its score, how good that is, and a shade. */
export function heatCell(
  row: LeaderboardRow,
  { task }: LeaderboardTask,
  kind: 'best' | 'last',
): { text: string; note?: string; shade: string } {
  const cell = row.scores[task];
  const [status, ratio] = kind === 'best' ? [cell?.bestStatus, cell?.bestRatio] : [cell?.lastStatus, cell?.lastRatio];
  const value = formatScore(cell?.[kind]);
  if (cell === undefined || (cell.attempts === 0 && cell[kind] === null)) return { text: NONE, shade: 'none' };
  if (status === 'not_run') return { text: 'not run', shade: 'none' };
  if (cell[kind] === null)
    return { text: cell.ended < cell.attempts ? 'running' : cell.suspect > 0 ? 'suspect' : 'no score', shade: 'none' };
  if (status === 'infeasible') return { text: value, note: '< baseline', shade: 'below' };
  if (ratio === null || ratio === undefined) return { text: value, shade: '' };
  const factor = ratio <= SHADES[0]! ? 'best' : `${Number(ratio.toPrecision(3)).toLocaleString('en-US')}×`;
  return { text: value, note: factor, shade: `heat-${SHADES.findIndex((end) => ratio <= end)}` };
}
