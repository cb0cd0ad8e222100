import {
  attemptsPerTask,
  bootstrap,
  type BootstrapOptions,
  resamplePositions,
  type Samples,
} from '../../domain/statistics/bootstrap.js';
import { boundedMeanInterval, drawWeights } from '../../domain/statistics/bounded-mean.js';
import type { GainedTask } from '../../domain/statistics/gain.js';
import {
  gainsByTask,
  type Headline,
  HEADLINES,
  type Headlines,
  resampleHeadlines,
} from '../../domain/statistics/headlines.js';
import {
  expandedTail,
  type Interval,
  isBeyondError,
  leavesOutZero,
  percentileInterval,
  PLAIN_TAIL,
  standardInterval,
} from '../../domain/statistics/intervals.js';
import { type Kind, KINDS } from '../../domain/statistics/compared.js';
import { type Separation, separation, sharesOfFirst } from '../../domain/statistics/separation.js';
import { groupBy } from '../../domain/text/group-by.js';
import type { Leaderboard, LeaderboardOrder, LeaderboardUncertainty } from '../../domain/views/leaderboard.js';

export interface ComparedCell {
  /** Model, kind and isolation. */
  method: string;
  of: GainedTask & { task: string };
  compared: boolean;
  ran: boolean;
  bestAttempts: (number | null)[];
  lastAttempts: (number | null)[];
}

/** What is compared, in the form that statistics take: tasks with a cell for each of `methods`, in their order. */
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

const OVERS = ['attempts', 'tasks'] as const;
type Over = (typeof OVERS)[number];

export interface IntervalOptions extends BootstrapOptions {
  order: LeaderboardOrder;
  /** Whose order it is. */
  kind: Kind;
  observed: Headlines;
}

/** Intervals of the compared methods, by their place, and how far what orders the rows tells them apart. */
export function leaderboardIntervals({ tasks, methods }: Compared, options: IntervalOptions) {
  const { order, kind, observed } = options;
  const areas = bootstrap(tasks, options);
  const headlines = resampleHeadlines(tasks, options);
  const units = methods.map((_, model) => attemptsPerTask(tasks, model));
  const repeated = Math.max(1, ...units);
  const drawnTasks = order === 'gain' ? headlines.units.gain : tasks.length;
  const drawn = { attempts: repeated > 1, tasks: drawnTasks > 1 };
  const ordering = orderingSamples();

  function orderingSamples(): { observed: Record<Kind, ArrayLike<number>> } & Record<Over, Samples> {
    if (order === 'aup') return areas.samples;
    if (order === 'rank') return resamplePositions(tasks, options);
    const headline = order === 'win-rate' ? 'winRate' : order;
    return {
      observed: observed[headline],
      attempts: headlines.attempts[headline],
      tasks: headlines.tasks[headline],
    };
  }
  // Resamples of headlines draw attempts too, those of areas and positions only tasks: measured, both hold what they should.
  const tail = order === 'aup' || order === 'rank' ? expandedTail(tasks.length) : PLAIN_TAIL;
  const differs = {
    attempts: (difference: number, samples: Float64Array) => isBeyondError(difference, samples, repeated),
    tasks: (difference: number, samples: Float64Array) => leavesOutZero(difference, samples, tail),
  };
  const apart = (over: Over): Separation | null =>
    drawn[over] ? separation(Array.from(ordering.observed[kind]), ordering[over][kind], differs[over]) : null;
  const separations = { attempts: apart('attempts'), tasks: apart('tasks') };
  const first = (over: Over) => ({
    best: sharesOfFirst(ordering[over].best),
    last: sharesOfFirst(ordering[over].last),
  });
  const shares = { attempts: first('attempts'), tasks: first('tasks') };

  const gains = gainsByTask(tasks);
  // Areas are drawn from seed and seed + 1, headlines from seed + 2.
  const weights = drawWeights(tasks.length, { resamples: options.resamples, seed: options.seed + 3 });
  const ofGain = (of: Kind, model: number): Interval | null =>
    boundedMeanInterval(
      gains[of].map((ofTask) => ofTask[model]!),
      weights,
    );

  const intervalOf = (over: Over, headline: Headline, of: Kind, model: number): Interval | null => {
    const value = observed[headline][of][model]!;
    const samples = headlines[over][headline][of][model]!;
    if (Number.isNaN(value)) return null;
    if (over === 'attempts') return standardInterval(value, samples, units[model]!, { low: 0, high: 1 });
    return headline === 'gain' ? ofGain(of, model) : percentileInterval(samples, headlines.units[headline]);
  };
  const uncertainty = (over: Over, model: number): LeaderboardUncertainty => {
    const area = areas[over][model]!;
    const [winRate, gain] = HEADLINES.map((headline) =>
      Object.fromEntries(KINDS.map((of) => [of, intervalOf(over, headline, of, model)])),
    ) as [Record<Kind, Interval | null>, Record<Kind, Interval | null>];
    return {
      ...{ bestWinRate: winRate.best, lastWinRate: winRate.last },
      ...{ bestGain: gain.best, lastGain: gain.last, bestAup: area.best, lastAup: area.last },
      pBest: drawn[over] ? { best: shares[over].best[model]!, last: shares[over].last[model]! } : null,
      group: separations[over]?.groups[model] ?? null,
    };
  };
  const shown = (over: Over): NonNullable<Leaderboard['comparison']['separation']>[Over] => {
    const found = separations[over];
    return found === null ? null : { pairs: found.pairs, resolved: found.resolved };
  };
  return {
    separation: { attempts: shown('attempts'), tasks: shown('tasks') },
    byMethod: methods.map((_, model) => ({
      attempts: uncertainty('attempts', model),
      tasks: uncertainty('tasks', model),
    })),
  };
}
