import { boundedMeanInterval, drawWeights } from './bounded-mean.js';
import type { GainedTask } from './gain.js';
import { gainsByTask, type Headlines, resampledWinRates } from './headlines.js';
import { expandedTail, leavesOutZero, percentileInterval, PLAIN_TAIL } from './intervals.js';
import type { Kind } from './compared.js';
import { resampledPositions } from './resampled-positions.js';
import { separation, sharesOfFirst } from './separation.js';
import { groupBy } from '../text/group-by.js';
import type { Leaderboard, LeaderboardOrder, LeaderboardUncertainty } from '../views/leaderboard.js';

export interface ComparedCell {
  /** Model, kind and isolation. */
  method: string;
  of: GainedTask & { task: string };
  compared: boolean;
  ran: boolean;
  bestAttempts: (number | null)[];
  lastAttempts: (number | null)[];
}

/** As statistics take it: tasks with a cell for each of `methods`, in their order. */
export function comparedAttempts(cells: readonly ComparedCell[]) {
  const byTask = groupBy(
    cells.filter(({ compared }) => compared),
    ({ of }) => of.task,
  );
  const tasks = [...byTask.values()].map((ofTask) => {
    const { direction, baseline, standardError, target } = ofTask[0]!.of;
    return {
      ...{ direction, baseline, standardError, target },
      cells: ofTask.map(({ bestAttempts, lastAttempts, ran }) => ({ best: bestAttempts, last: lastAttempts, ran })),
    };
  });
  const [first = []] = byTask.values();
  return { tasks, methods: first.map(({ method }) => method) };
}

export type Compared = ReturnType<typeof comparedAttempts>;

/** Equal attempts have equal intervals. */
const DRAWN = { resamples: 1000, seed: 1 };

export interface IntervalOptions {
  order: LeaderboardOrder;
  /** Whose order it is. */
  kind: Kind;
  observed: Headlines;
}

/** Intervals of the compared methods, by their place, and which of them differ. */
export function leaderboardIntervals({ tasks, methods }: Compared, { order, kind, observed }: IntervalOptions) {
  const winRates = resampledWinRates(tasks, DRAWN);
  // Win rates resample attempts and tasks, positions only tasks: measured, both cover 95 %.
  const ordering =
    order === 'rank'
      ? { ...resampledPositions(tasks, DRAWN), tail: expandedTail(tasks.length) }
      : { observed: observed.winRate, samples: winRates, tail: PLAIN_TAIL };
  // One task says nothing of others.
  const drawn = tasks.length > 1;
  const apart = drawn
    ? separation(Array.from(ordering.observed[kind]), ordering.samples[kind], (difference, samples) =>
        leavesOutZero(difference, samples, ordering.tail),
      )
    : null;
  const shares = { best: sharesOfFirst(ordering.samples.best), last: sharesOfFirst(ordering.samples.last) };
  const gains = gainsByTask(tasks);
  // Positions are drawn from seed + 1, win rates from seed + 2.
  const weights = drawWeights(tasks.length, { ...DRAWN, seed: DRAWN.seed + 3 });
  const winRate = (of: Kind, model: number) =>
    Number.isNaN(observed.winRate[of][model]!) ? null : percentileInterval(winRates[of][model]!, tasks.length);
  const gain = (of: Kind, model: number) =>
    Number.isNaN(observed.gain[of][model]!)
      ? null
      : boundedMeanInterval(
          gains[of].map((ofTask) => ofTask[model]!),
          weights,
        );
  const separated: Leaderboard['comparison']['separation'] =
    apart === null ? null : { pairs: apart.pairs, resolved: apart.resolved };
  return {
    separation: separated,
    byMethod: methods.map((_, model): LeaderboardUncertainty => ({
      ...{ bestWinRate: winRate('best', model), lastWinRate: winRate('last', model) },
      ...{ bestGain: gain('best', model), lastGain: gain('last', model) },
      pBest: drawn ? { best: shares.best[model]!, last: shares.last[model]! } : null,
      group: apart?.groups[model] ?? null,
    })),
  };
}
