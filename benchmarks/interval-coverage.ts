// How often the leaderboard's intervals cover their targets, simulated: npm run benchmark:intervals
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { areasUnderProfiles } from './areas-under-profiles.js';
import { bootstrap, type ComparedAttempts } from '../domain/statistics/bootstrap.js';
import {
  type ComparedGains,
  gainsByTask,
  HEADLINES,
  type Headline,
  headlines,
  resampleHeadlines,
} from '../domain/statistics/headlines.js';
import { boundedMeanInterval, drawWeights } from '../domain/statistics/bounded-mean.js';
import { type Interval, leavesOutZero, percentileInterval, PLAIN_TAIL } from '../domain/statistics/intervals.js';
import type { Mode } from '../domain/statistics/compared.js';

export interface CoverageOptions {
  mode: Mode;
  tasks: number;
  attempts: number;
  experiments: number;
  /** Repetitions of each one's runs, to know the average over attempts. */
  repeats: number;
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

type Task = ComparedAttempts[number];

/** Logarithms of the models' skills: the last is worse than the starter, whose skill is 0. */
const SKILLS = [0.4, 0.3, 0.2, 0.1, 0.02, -0.2];
const [OF_TASK, OF_RUN, LOST, FAILED] = [0.15, 0.1, 0.05, 0.15];
const AXIS = 0.5;

/** Scores are exp(skill + model's fit to the task + luck of the run); one run in seven fails. */
export function coverage(options: CoverageOptions): { attempts: Coverage; tasks: Coverage } {
  const { mode, tasks: count, experiments, repeats, population } = options;
  const random = simulation(options.seed ?? 1);
  const area = (tasks: ComparedAttempts): number[] =>
    areasUnderProfiles(tasks.map(bestOf), 'best', mode, AXIS).slice(0, SKILLS.length) as number[];
  const ofPopulation = area(Array.from({ length: population }, () => random.play(random.task(), options.attempts)));
  const [attempts, tasks] = [new Tally(), new Tally()];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const drawn = Array.from({ length: count }, () => random.task());
    const play = () => drawn.map((task) => random.play(task, options.attempts));
    const ofAttempts = SKILLS.map(() => 0);
    for (let i = 0; i < repeats; i++) area(play()).forEach((value, model) => (ofAttempts[model]! += value / repeats));
    const found = bootstrap(play(), { mode, axis: AXIS, resamples: 500, seed: experiment });
    SKILLS.forEach((_, model) => {
      attempts.add(found.attempts[model]!.best!, ofAttempts[model]!);
      tasks.add(found.tasks[model]!.best!, ofPopulation[model]!);
    });
  }
  return { attempts: attempts.result(), tasks: tasks.result() };
}

/** Coverage of one headline over tasks: of the figure, and of the difference of two models. */
export interface HeadlineCoverage {
  figure: Coverage;
  /** Share of pairs resolved correctly: unresolved, or in their true order. */
  pairs: number;
  resolved: number;
}

/** New tasks and attempts; the target is above the best model, at some tasks within reach. */
export function headlineCoverage({
  tasks: count,
  attempts,
  experiments,
  population,
  seed = 1,
}: Pick<CoverageOptions, 'tasks' | 'attempts' | 'experiments' | 'population' | 'seed'>): Record<
  Headline,
  HeadlineCoverage
> {
  const random = simulation(seed);
  const play = (): ComparedGains[number] => {
    const task = random.task();
    return {
      ...random.play(task, attempts),
      standardError: null,
      target: random.score(task, 0.5 + 0.3 * random.uniform()),
    };
  };
  const truth = headlines(Array.from({ length: population }, play));
  const tallies = { winRate: new Tally(), gain: new Tally() };
  const pairs = { winRate: { all: 0, wrong: 0, resolved: 0 }, gain: { all: 0, wrong: 0, resolved: 0 } };
  for (let experiment = 0; experiment < experiments; experiment++) {
    const tasks = Array.from({ length: count }, play);
    const observed = headlines(tasks);
    const drawn = { resamples: 400, seed: experiment };
    const { tasks: samples } = resampleHeadlines(tasks, drawn);
    const [gains, weights] = [gainsByTask(tasks).best, drawWeights(count, { ...drawn, seed: experiment + 3 })];
    const intervalOf = (headline: Headline, model: number): Interval | null =>
      headline === 'gain'
        ? boundedMeanInterval(
            gains.map((ofTask) => ofTask[model]!),
            weights,
          )
        : percentileInterval(samples[headline].best[model]!, count);
    for (const headline of HEADLINES) {
      const [ofModels, known] = [samples[headline].best, truth[headline].best];
      ofModels.forEach((values, a) => {
        tallies[headline].add(intervalOf(headline, a)!, known[a]!);
        for (let b = a + 1; b < ofModels.length; b++) {
          const seen = observed[headline].best[a]! - observed[headline].best[b]!;
          const resolved = leavesOutZero(
            seen,
            values.map((value, i) => value - ofModels[b]![i]!),
            PLAIN_TAIL,
          );
          pairs[headline].all++;
          if (!resolved) continue;
          pairs[headline].resolved++;
          if (seen > 0 !== known[a]! > known[b]!) pairs[headline].wrong++;
        }
      });
    }
  }
  const of = (headline: Headline): HeadlineCoverage => {
    const { all, wrong, resolved } = pairs[headline];
    return { figure: tallies[headline].result(), pairs: 1 - wrong / all, resolved: resolved / all };
  };
  return { winRate: of('winRate'), gain: of('gain') };
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
    uniform,
    score: scoreOf,
    task: (): SimulatedTask => ({
      direction: uniform() < 0.5 ? 'maximize' : 'minimize',
      scale: normal(),
      suits: SKILLS.map(() => OF_TASK * normal()),
    }),
    play: ({ direction, scale, suits }: SimulatedTask, attempts: number): Task => {
      const score = (skill: number) => scoreOf({ direction, scale }, skill);
      return {
        direction,
        baseline: score(0),
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

function bestOf(task: Task) {
  const best = (scores: readonly (number | null)[]): number | null => {
    const known = scores.filter((score) => score !== null);
    if (known.length === 0) return null;
    return task.direction === 'maximize' ? Math.max(...known) : Math.min(...known);
  };
  const starter = { best: task.baseline, last: task.baseline, ran: true };
  return {
    ...task,
    cells: [...task.cells.map(({ best: b, last: l }) => ({ best: best(b), last: best(l), ran: true })), starter],
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
