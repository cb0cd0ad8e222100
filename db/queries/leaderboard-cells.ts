import { attemptGain, hasGains } from '../../domain/statistics/gain.js';
import type { LeaderboardRow, LeaderboardScore, LeaderboardTask } from '../../domain/views/leaderboard.js';
import type { ComparedCell } from '../../domain/statistics/leaderboard-intervals.js';
import type { RatiosOfMethod } from './leaderboard-ratios.js';
import type { Columns } from './columns.js';

type Id = Pick<LeaderboardRow, 'model' | 'kind' | 'isolation'>;
type Told = 'bestGain' | 'lastGain' | 'bestStatus' | 'lastStatus' | 'bestRatio' | 'lastRatio';
/** A row of leaderboard(). */
export type CellRow = Id & Omit<LeaderboardScore, Told> & { task: string; compared: boolean; ran: boolean };

/** One model at one task. */
export interface BoardCell extends ComparedCell {
  of: LeaderboardTask;
  score: LeaderboardScore;
}

/** As leaderboard_cells() writes it. */
export const methodOf = ({ model, kind, isolation }: Id): string =>
  `[${[model, kind, isolation].map((part) => JSON.stringify(part)).join(', ')}]`;

interface Board {
  tasks: ReadonlyMap<string, LeaderboardTask>;
  ratiosOf: ReadonlyMap<string, RatiosOfMethod>;
}

/** Each of thousands of cells is made once: copying took a fifth of the leaderboard's time. */
export function boardCells(columns: Columns<CellRow>, { tasks, ratiosOf }: Board): BoardCell[] {
  if (columns.model === null) return [];
  const column = columns as { [Key in keyof CellRow]: CellRow[Key][] };
  const methods = new Map<string, string>();
  return column.model.map((model, i): BoardCell => {
    const [kind, isolation] = [column.kind[i]!, column.isolation[i]!];
    const id = `${kind} ${isolation} ${model}`;
    let method = methods.get(id);
    if (method === undefined) methods.set(id, (method = methodOf({ model, kind, isolation })));
    const of = tasks.get(column.task[i]!)!;
    const [compared, ran] = [column.compared[i]!, column.ran[i]!];
    const [bestAttempts, lastAttempts] = [column.bestAttempts[i]!, column.lastAttempts[i]!];
    const gains = compared && ran && hasGains(of);
    const ratios = ratiosOf.get(method);
    const [best, last] = [ratios?.best.get(of.task), ratios?.last.get(of.task)];
    const score = {
      best: column.best[i]!,
      last: column.last[i]!,
      mean: column.mean[i]!,
      bestGain: gains ? meanGain(of, bestAttempts) : null,
      lastGain: gains ? meanGain(of, lastAttempts) : null,
      bestRank: column.bestRank[i]!,
      lastRank: column.lastRank[i]!,
      bestStatus: best === undefined ? null : best.status,
      lastStatus: last === undefined ? null : last.status,
      bestRatio: best === undefined ? null : best.ratio,
      lastRatio: last === undefined ? null : last.ratio,
      bestRun: column.bestRun[i]!,
      lastRun: column.lastRun[i]!,
      bestAttempts,
      lastAttempts,
      attempts: column.attempts[i]!,
      ended: column.ended[i]!,
      counted: column.counted[i]!,
      scored: column.scored[i]!,
      infraErrors: column.infraErrors[i]!,
      configErrors: column.configErrors[i]!,
      cancelled: column.cancelled[i]!,
      refused: column.refused[i]!,
      suspect: column.suspect[i]!,
      costUsd: column.costUsd[i]!,
    };
    return { method, of, compared, ran, bestAttempts, lastAttempts, score };
  });
}

/** Of a model that was not submitted for the task: as with one attempt without a score. */
function meanGain(task: LeaderboardTask, attempts: readonly (number | null)[]): number {
  let sum = 0;
  for (const score of attempts) sum += attemptGain(task, score)!;
  return sum / Math.max(1, attempts.length);
}
