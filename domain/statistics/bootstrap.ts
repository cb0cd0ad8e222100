import { type ComparedTask, type Kind, KINDS, type Mode } from './compared.js';
import { expandedPercentileInterval, type Interval, standardInterval } from './intervals.js';
import { randomIndexes } from './random-index.js';
import { type AreaRules, taskAreas } from './task-areas.js';

/** One model at one task: its counted attempts, best[i] and last[i] of the same run; null: without a score. */
export interface AttemptCell {
  best: readonly (number | null)[];
  last: readonly (number | null)[];
  ran: boolean;
}

/** Each task with one cell per model, in the same order at every task. A task's baseline is compared with the models. */
export type ComparedAttempts = readonly (ComparedTask & { cells: readonly AttemptCell[] })[];

export interface BootstrapOptions extends AreaRules {
  resamples: number;
  seed: number;
}

/** Of one model's AUP, from one way to resample, 95 %. Null: what is resampled has nothing to vary (one task, or one attempt each). */
export interface Uncertainty {
  best: Interval | null;
  last: Interval | null;
  /** Share of the resamples in which no other model has a larger AUP; equal ones share it. */
  first: Record<Kind, number> | null;
}

/**
 * Bootstrap of each model's AUP with a fixed axis. `attempts`: the runs of each model and task are resampled with replacement, for
 * what other runs of the same tasks would give; standard intervals. `tasks`: tasks are resampled with all their runs, for what other
 * tasks of the same kind would give, including the noise of runs; expanded percentile intervals.
 * The same for equal input and seed. docs/concepts/leaderboard.md gives the measured coverage.
 */
export function bootstrap(
  tasks: ComparedAttempts,
  options: BootstrapOptions,
): { attempts: Uncertainty[]; tasks: Uncertainty[] } {
  const { seed, mode, axis } = options;
  const layouts = () => tasks.map((task) => layOut(task, mode));
  // One resample, in which each task is drawn once.
  const observed = resampleTasks(layouts(), { ...options, resamples: 1 }, null);
  const bounds = { low: 0, high: mode === 'strict' ? 1 : axis };
  const attempts = (tasks[0]?.cells ?? []).map((_, model) => attemptsPerTask(tasks, model));
  return {
    attempts: uncertainties(resampleAttempts(layouts(), options, randomIndexes(seed)), (values, kind, model) =>
      standardInterval(observed[kind][model]![0]!, values, attempts[model]!, bounds),
    ),
    tasks: uncertainties(resampleTasks(layouts(), options, randomIndexes(seed + 1)), (values) =>
      expandedPercentileInterval(values, tasks.length),
    ),
  };
}

/** Mean over the tasks at which there is something to draw; 1: nowhere. */
function attemptsPerTask(tasks: ComparedAttempts, model: number): number {
  const repeated = tasks.map(({ cells }) => cells[model]!.best.length).filter((attempts) => attempts > 1);
  return repeated.length === 0 ? 1 : repeated.reduce((sum, attempts) => sum + attempts, 0) / repeated.length;
}

type Draw = (below: number) => number;
/** Per model its AUP in each resample; NaN: no task of that resample counts for it. */
type Samples = Record<Kind, Float64Array[]>;

function resampleAttempts(layouts: readonly TaskLayout[], options: BootstrapOptions, draw: Draw): Samples {
  return collect(layouts, options.resamples, (means) => {
    for (const layout of layouts) {
      layout.attempts.best.forEach((_, model) => drawAttempts(layout, model, draw));
      for (const kind of KINDS)
        if (taskAreas(layout.task, layout.scores[kind], options, layout.areas))
          means[kind].add(layout.areas, layout.counted, 1);
    }
  });
}

function resampleTasks(layouts: readonly TaskLayout[], options: BootstrapOptions, draw: Draw | null): Samples {
  const observed = layouts.flatMap((layout, place) =>
    KINDS.flatMap((kind) => {
      const areas = new Float64Array(layout.areas.length);
      const solved = taskAreas(layout.task, layout.scores[kind], options, areas);
      return solved ? [{ place, kind, areas, counted: layout.counted }] : [];
    }),
  );
  const times = new Float64Array(layouts.length);
  return collect(layouts, options.resamples, (means) => {
    times.fill(0);
    for (let i = 0; i < times.length; i++) times[draw?.(times.length) ?? i]! += 1;
    for (const { place, kind, areas, counted } of observed)
      if (times[place] !== 0) means[kind].add(areas, counted, times[place]!);
  });
}

/** A task made ready for drawing. Scores are of the models, then of the baseline; NaN: none. */
interface TaskLayout {
  task: ComparedTask;
  /** Per model, times `sign`, so that more is better; -Infinity: no score. */
  attempts: Record<Kind, Float64Array[]>;
  sign: 1 | -1;
  scores: Record<Kind, Float64Array>;
  /** Whether the task is part of each model's area: in strict mode not where only the infrastructure failed. */
  counted: readonly boolean[];
  areas: Float64Array;
}

function layOut(task: ComparedAttempts[number], mode: Mode): TaskLayout {
  const sign = task.direction === 'maximize' ? 1 : -1;
  const keys = (kind: Kind) =>
    task.cells.map((cell) => Float64Array.from(cell[kind], (score) => (score === null ? -Infinity : sign * score)));
  const attempts = { best: keys('best'), last: keys('last') };
  const observed = (kind: Kind) =>
    Float64Array.from([...attempts[kind].map((all) => scoreOf(Math.max(...all), sign)), task.baseline ?? NaN]);
  return {
    task,
    attempts,
    sign,
    scores: { best: observed('best'), last: observed('last') },
    counted: task.cells.map((cell) => mode === 'compat' || cell.ran || cell.best.length > 0),
    areas: new Float64Array(task.cells.length + 1),
  };
}

const scoreOf = (key: number, sign: number): number => (key === -Infinity ? NaN : sign * key);

/** As many of the model's attempts as there are, drawn with replacement, and the best of them into the scores. */
function drawAttempts({ attempts, scores, sign }: TaskLayout, model: number, draw: Draw): void {
  const [best, last] = [attempts.best[model]!, attempts.last[model]!];
  if (best.length < 2) return;
  let [bestKey, lastKey] = [-Infinity, -Infinity];
  for (let i = 0; i < best.length; i++) {
    const at = draw(best.length);
    if (best[at]! > bestKey) bestKey = best[at]!;
    if (last[at]! > lastKey) lastKey = last[at]!;
  }
  scores.best[model] = scoreOf(bestKey, sign);
  scores.last[model] = scoreOf(lastKey, sign);
}

/** Mean area of each model over the tasks of one resample. */
class Means {
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;
  constructor(models: number) {
    this.#sums = new Float64Array(models);
    this.#weights = new Float64Array(models);
  }
  add(areas: Float64Array, counted: readonly boolean[], weight: number): void {
    for (let i = 0; i < counted.length; i++) {
      if (counted[i] !== true) continue;
      this.#sums[i]! += weight * areas[i]!;
      this.#weights[i]! += weight;
    }
  }
  /** Into the samples at `place`; then empty again. */
  moveTo(samples: readonly Float64Array[], place: number): void {
    samples.forEach((values, i) => (values[place] = this.#sums[i]! / this.#weights[i]!));
    this.#sums.fill(0);
    this.#weights.fill(0);
  }
}

function collect(
  layouts: readonly TaskLayout[],
  resamples: number,
  resample: (means: Record<Kind, Means>) => void,
): Samples {
  const models = layouts[0]?.counted.length ?? 0;
  const empty = () => Array.from({ length: models }, () => new Float64Array(resamples));
  const samples = { best: empty(), last: empty() };
  const means = { best: new Means(models), last: new Means(models) };
  for (let place = 0; place < resamples; place++) {
    resample(means);
    for (const kind of KINDS) means[kind].moveTo(samples[kind], place);
  }
  return samples;
}

function uncertainties(
  samples: Samples,
  interval: (values: Float64Array, kind: Kind, model: number) => Interval | null,
): Uncertainty[] {
  const first = { best: sharesOfFirst(samples.best), last: sharesOfFirst(samples.last) };
  const all = samples.best.map((_, model) => ({
    best: interval(samples.best[model]!, 'best', model),
    last: interval(samples.last[model]!, 'last', model),
  }));
  const varies = all.some(({ best }) => best !== null);
  return all.map((intervals, model) => ({
    ...intervals,
    first: varies ? { best: first.best[model]!, last: first.last[model]! } : null,
  }));
}

/** Sums in another order differ in their last digits. */
const SAME = 1e-12;

function sharesOfFirst(samples: readonly Float64Array[]): number[] {
  const resamples = samples[0]?.length ?? 0;
  const shares = samples.map(() => 0);
  for (let place = 0; place < resamples; place++) {
    let most = -Infinity;
    for (const values of samples) if (values[place]! > most) most = values[place]!;
    const first = samples.flatMap((values, model) => (values[place]! >= most - SAME ? [model] : []));
    for (const model of first) shares[model]! += 1 / first.length;
  }
  return shares.map((share) => share / resamples);
}
