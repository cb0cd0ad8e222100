import type { ScoredIsolation } from '../../domain/run.js';
import type { ModelKind } from '../../domain/model.js';
import type { Direction } from '../../domain/score.js';
import { bootstrap, type BootstrapOptions, type Uncertainty } from '../../domain/statistics/bootstrap.js';
import { groupBy } from './group-by.js';
import type { LeaderboardRow, LeaderboardUncertainty } from '../../domain/views/leaderboard.js';

interface Cell {
  model: string;
  kind: ModelKind;
  isolation: ScoredIsolation;
  task: string;
  direction: Direction;
  baseline: number | null;
  compared: boolean;
  ran: boolean;
  bestAttempts: (number | null)[];
  lastAttempts: (number | null)[];
}

/** Intervals of the compared methods, by method; `cells` is the whole grid, ordered. */
export function leaderboardIntervals(
  cells: readonly Cell[],
  options: BootstrapOptions,
  methodOf: (cell: Cell) => string,
): Map<string, NonNullable<LeaderboardRow['intervals']>> {
  const byTask = groupBy(
    cells.filter(({ compared }) => compared),
    ({ task }) => task,
  );
  const tasks = [...byTask.values()].map((ofTask) => ({
    direction: ofTask[0]!.direction,
    baseline: ofTask[0]!.baseline,
    cells: ofTask.map(({ bestAttempts, lastAttempts, ran }) => ({ best: bestAttempts, last: lastAttempts, ran })),
  }));
  const { attempts, tasks: overTasks } = bootstrap(tasks, options);
  const [first = []] = byTask.values();
  return new Map(
    first.map((cell, i) => [methodOf(cell), { attempts: shown(attempts[i]!), tasks: shown(overTasks[i]!) }]),
  );
}

const shown = ({ best, last, first }: Uncertainty): LeaderboardUncertainty => ({
  bestAup: best,
  lastAup: last,
  probabilityOfRank1: first,
});
