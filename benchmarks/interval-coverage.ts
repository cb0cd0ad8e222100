// How often the leaderboard's intervals cover their targets, simulated: npm run benchmark:intervals
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type ComparedGains, gainsByTask, headlines, resampledWinRates } from '../domain/statistics/headlines.js';
import { boundedMeanInterval, drawWeights } from '../domain/statistics/bounded-mean.js';
import { type Interval, leavesOutZero, percentileInterval, PLAIN_TAIL } from '../domain/statistics/intervals.js';

export interface CoverageOptions {
  tasks: number;
  attempts: number;
  experiments: number;
  population: number;
  seed?: number;
}

export interface Coverage {
  /** Over the models of all experiments: within the interval; true value below, above it. */
  share: number;
  below: number;
  above: number;
  meanWidth: number;
}

/** Logarithms of the models' skills: the last is worse than the starter, whose skill is 0. */
const SKILLS = [0.4, 0.3, 0.2, 0.1, 0.02, -0.2];
const [OF_TASK, OF_RUN, LOST, FAILED] = [0.15, 0.1, 0.05, 0.15];

/** The figures' intervals; for win rates also the difference of two models. */
export interface HeadlineCoverage {
  winRate: Coverage;
  gain: Coverage;
  /** Share of pairs resolved correctly: unresolved, or in their true order. */
  pairs: number;
  resolved: number;
}

/**
 * New tasks and attempts; the target is above the best model, at some tasks within reach.
 * Scores are exp(skill + model's fit to the task + luck of the run); one run in seven fails.
 */
export function headlineCoverage({
  tasks: count,
  attempts,
  experiments,
  population,
  seed = 1,
}: CoverageOptions): HeadlineCoverage {
  const random = simulation(seed);
  const play = (): ComparedGains[number] => random.play(random.task(), attempts);
  const truth = headlines(Array.from({ length: population }, play));
  const tallies = { winRate: new Tally(), gain: new Tally() };
  const pairs = { all: 0, wrong: 0, resolved: 0 };
  for (let experiment = 0; experiment < experiments; experiment++) {
    const tasks = Array.from({ length: count }, play);
    const observed = headlines(tasks).winRate.best;
    const drawn = { resamples: 400, seed: experiment };
    const samples = resampledWinRates(tasks, drawn).best;
    const [gains, weights] = [gainsByTask(tasks).best, drawWeights(count, { ...drawn, seed: experiment + 3 })];
    samples.forEach((values, a) => {
      tallies.winRate.add(percentileInterval(values, count)!, truth.winRate.best[a]!);
      const ofModel = gains.map((ofTask) => ofTask[a]!);
      tallies.gain.add(boundedMeanInterval(ofModel, weights)!, truth.gain.best[a]!);
      for (let b = a + 1; b < samples.length; b++) {
        const seen = observed[a]! - observed[b]!;
        const differences = values.map((value, i) => value - samples[b]![i]!);
        pairs.all++;
        if (!leavesOutZero(seen, differences, PLAIN_TAIL)) continue;
        pairs.resolved++;
        if (seen > 0 !== truth.winRate.best[a]! > truth.winRate.best[b]!) pairs.wrong++;
      }
    });
  }
  return {
    ...{ winRate: tallies.winRate.result(), gain: tallies.gain.result() },
    ...{ pairs: 1 - pairs.wrong / pairs.all, resolved: pairs.resolved / pairs.all },
  };
}

interface SimulatedTask {
  direction: 'maximize' | 'minimize';
  scale: number;
  suits: number[];
}

function simulation(seed: number) {
  const generator = xoroshiro128plus(seed);
  const uniform = () => ((generator.next() >>> 0) + 0.5) / 0x1_0000_0000;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const scoreOf = ({ direction, scale }: Pick<SimulatedTask, 'direction' | 'scale'>, skill: number) =>
    Math.exp(scale + (direction === 'maximize' ? skill : -skill));
  return {
    task: (): SimulatedTask => ({
      direction: uniform() < 0.5 ? 'maximize' : 'minimize',
      scale: normal(),
      suits: SKILLS.map(() => OF_TASK * normal()),
    }),
    play: ({ direction, scale, suits }: SimulatedTask, attempts: number): ComparedGains[number] => {
      const score = (skill: number) => scoreOf({ direction, scale }, skill);
      return {
        ...{ direction, baseline: score(0), standardError: null, target: score(0.5 + 0.3 * uniform()) },
        cells: SKILLS.map((skill, model) => {
          const runs = Array.from({ length: attempts }, () => {
            const reached = skill + suits[model]! + OF_RUN * normal();
            const handedIn = reached - Math.abs(LOST * normal());
            return uniform() < FAILED ? [null, null] : [score(reached), score(handedIn)];
          });
          return { best: runs.map(([best]) => best!), last: runs.map(([, last]) => last!), ran: true };
        }),
      };
    },
  };
}

class Tally {
  #all = 0;
  #below = 0;
  #above = 0;
  #width = 0;
  add({ low, high }: Interval, truth: number): void {
    this.#all++;
    this.#width += high - low;
    if (truth < low) this.#below++;
    if (truth > high) this.#above++;
  }
  result(): Coverage {
    const [below, above] = [this.#below / this.#all, this.#above / this.#all];
    return { share: 1 - below - above, below, above, meanWidth: this.#width / this.#all };
  }
}
