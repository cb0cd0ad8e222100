// How often the intervals of the leaderboard hold what they are meant to hold, on simulated models: npm run benchmark:intervals
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { areasUnderProfiles } from '../domain/statistics/areas-under-profiles.js';
import { bootstrap, type ComparedAttempts } from '../domain/statistics/bootstrap.js';
import type { Interval } from '../domain/statistics/intervals.js';
import type { Mode } from '../domain/statistics/compared.js';

export interface CoverageOptions {
  mode: Mode;
  tasks: number;
  attempts: number;
  /** Simulated leaderboards. */
  experiments: number;
  /** Repetitions of the runs of each, to know what attempts give on average. */
  repeats: number;
  /** Tasks drawn to know what tasks give on average. */
  population: number;
  seed?: number;
}

export interface Coverage {
  /** Of the models of all experiments: within the interval; true value below, above it. */
  share: number;
  below: number;
  above: number;
  meanWidth: number;
}

type Task = ComparedAttempts[number];

/** Skills of the simulated models, as logarithms: the last is worse than the starter, whose is 0. */
const SKILLS = [0.4, 0.3, 0.2, 0.1, 0.02, -0.2];
const [OF_TASK, OF_RUN, LOST, FAILED] = [0.15, 0.1, 0.05, 0.15];
const AXIS = 0.5;

/** Scores are exp(skill + what suits the model in the task + luck of the run); one run in seven fails. */
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

interface SimulatedTask {
  direction: 'maximize' | 'minimize';
  scale: number;
  suits: number[];
}

function simulation(seed: number) {
  const generator = xoroshiro128plus(seed);
  const uniform = () => ((generator.next() >>> 0) + 0.5) / 0x1_0000_0000;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    task: (): SimulatedTask => ({
      direction: uniform() < 0.5 ? 'maximize' : 'minimize',
      scale: normal(),
      suits: SKILLS.map(() => OF_TASK * normal()),
    }),
    play: ({ direction, scale, suits }: SimulatedTask, attempts: number): Task => {
      const score = (skill: number) => Math.exp(scale + (direction === 'maximize' ? skill : -skill));
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
