import { boundedMeanInterval, drawWeights } from './bounded-mean.js';
import { type ComparedTask, type Kind, KINDS, type Mode } from './compared.js';
import { type Interval, standardInterval } from './intervals.js';
import { randomIndexes } from './random-index.js';
import { type AreaRules, taskAreas } from './task-areas.js';
import { taskPositions } from './task-positions.js';

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
}

/** Per model a figure, and the same in each resample; more is better. NaN: no task of that resample counts for it. */
export interface Resampled {
  observed: Record<Kind, number[]>;
  attempts: Samples;
  tasks: Samples;
}

/** Per model its figure in each resample. */
export type Samples = Record<Kind, Float64Array[]>;

/**
 * Bootstrap of each model's AUP with a fixed axis. `attempts`: the runs of each model and task are resampled with replacement, for
 * what other runs of the same tasks would give; standard intervals. `tasks`: tasks are resampled with all their runs, for what other
 * tasks of the same kind would give, including the noise of runs; intervals of the mean of what each task adds (bounded-mean.ts).
 * The same for equal input and seed. docs/concepts/leaderboard.md gives the measured coverage.
 */
export function bootstrap(
  tasks: ComparedAttempts,
  options: BootstrapOptions,
): { attempts: Uncertainty[]; tasks: Uncertainty[]; samples: Resampled } {
  const { mode, axis } = options;
  const measure: Measure = (layout, kind) => taskAreas(layout.task, layout.scores[kind], options, layout.values);
  const samples = resampled(tasks, options, measure);
  const bounds = { low: 0, high: mode === 'strict' ? 1 : axis };
  const models = tasks[0]?.cells ?? [];
  const areas = areasByTask(tasks, options, measure);
  // Tasks and attempts are drawn from seed and seed + 1, headlines from seed + 2, their weights from seed + 3.
  const weights = drawWeights(tasks.length, { resamples: options.resamples, seed: options.seed + 4 });
  const both = (interval: (kind: Kind) => Interval | null): Uncertainty => ({
    best: interval('best'),
    last: interval('last'),
  });
  return {
    samples,
    attempts: models.map((_, model) => {
      const units = attemptsPerTask(tasks, model);
      const repeated = tasks.filter(({ cells }) => cells[model]!.best.length > 1).length;
      return both((kind) =>
        standardInterval(
          samples.observed[kind][model]!,
          samples.attempts[kind][model]!,
          Math.min(units, BEST_OF),
          bounds,
          // Measured (benchmarks/intervals.ts): by the normal distribution 91 % of the intervals at five tasks held the true value.
          Math.max(1, repeated),
        ),
      );
    }),
    tasks: models.map((_, model) =>
      both((kind) => {
        const found = boundedMeanInterval(
          areas[kind].map((ofTask) => ofTask[model]! / bounds.high),
          weights,
        );
        return found === null ? null : { low: found.low * bounds.high, high: found.high * bounds.high };
      }),
    ),
  };
}

/**
 * Two of three resamples of any number of attempts repeat the best of them, so that bests vary half as much in them as they do: as of two attempts.
 * Measured (benchmarks/intervals.ts): with the number of attempts itself, 88 % of the intervals at eight attempts held the true value.
 */
const BEST_OF = 2;

/** Per task that has any area, what it adds to each model's; NaN: it is no part of it. */
function areasByTask(tasks: ComparedAttempts, { mode }: AreaRules, measure: Measure): Record<Kind, Float64Array[]> {
  const layouts = tasks.map((task) => layOut(task, mode));
  const of = (kind: Kind) =>
    layouts.map((layout) => {
      const areas = new Float64Array(layout.counted.length).fill(NaN);
      if (measure(layout, kind))
        for (let model = 0; model < areas.length; model++)
          if (layout.counted[model]!) areas[model] = layout.values[model]!;
      return areas;
    });
  return { best: of('best'), last: of('last') };
}

/** The same resamples of each model's average position, the baseline being one of those placed: times -1, so that more is better. */
export function resamplePositions(
  tasks: ComparedAttempts,
  options: Pick<BootstrapOptions, 'resamples' | 'seed'>,
): Resampled {
  const withBaseline = tasks.some(({ baseline }) => baseline !== null);
  // As in SQL: where nothing ran nothing is placed, in either mode.
  return resampled(tasks, { ...options, mode: 'strict' }, ({ task, scores, counted, values }, kind) => {
    const placed = (method: number) => (method < counted.length ? counted[method]! : withBaseline);
    taskPositions(scores[kind], task.direction === 'maximize', placed, values);
    for (let i = 0; i < values.length; i++) values[i] = -values[i]!;
    return true;
  });
}

/** Mean over the tasks at which there is something to draw; 1: nowhere. */
export function attemptsPerTask(tasks: ComparedAttempts, model: number): number {
  const repeated = tasks.map(({ cells }) => cells[model]!.best.length).filter((attempts) => attempts > 1);
  return repeated.length === 0 ? 1 : repeated.reduce((sum, attempts) => sum + attempts, 0) / repeated.length;
}

type Draw = (below: number) => number;
/** What the scores of a task say of each method, into its `values`; false: nothing, the task is no part of any mean. */
type Measure = (layout: TaskLayout, kind: Kind) => boolean;

function resampled(
  tasks: ComparedAttempts,
  { resamples, seed, mode }: Pick<BootstrapOptions, 'resamples' | 'seed' | 'mode'>,
  measure: Measure,
): Resampled {
  const layouts = () => tasks.map((task) => layOut(task, mode));
  // One resample, in which each task is drawn once.
  const observed = resampleTasks(layouts(), 1, measure, null);
  const first = (kind: Kind) => observed[kind].map(([value]) => value!);
  return {
    observed: { best: first('best'), last: first('last') },
    attempts: resampleAttempts(layouts(), resamples, measure, randomIndexes(seed)),
    tasks: resampleTasks(layouts(), resamples, measure, randomIndexes(seed + 1)),
  };
}

function resampleAttempts(layouts: readonly TaskLayout[], resamples: number, measure: Measure, draw: Draw): Samples {
  return collect(layouts, resamples, (means) => {
    for (const layout of layouts) {
      layout.attempts.best.forEach((_, model) => drawAttempts(layout, model, draw));
      for (const kind of KINDS) if (measure(layout, kind)) means[kind].add(layout.values, layout.counted, 1);
    }
  });
}

function resampleTasks(
  layouts: readonly TaskLayout[],
  resamples: number,
  measure: Measure,
  draw: Draw | null,
): Samples {
  const observed = layouts.flatMap((layout, place) =>
    KINDS.flatMap((kind) =>
      measure(layout, kind) ? [{ place, kind, values: layout.values.slice(), counted: layout.counted }] : [],
    ),
  );
  const times = new Float64Array(layouts.length);
  return collect(layouts, resamples, (means) => {
    times.fill(0);
    for (let i = 0; i < times.length; i++) times[draw?.(times.length) ?? i]! += 1;
    for (const { place, kind, values, counted } of observed)
      if (times[place] !== 0) means[kind].add(values, counted, times[place]!);
  });
}

/** A task made ready for drawing. Scores are of the models, then of the baseline; NaN: none. */
interface TaskLayout {
  task: ComparedTask;
  /** Per model, times `sign`, so that more is better; -Infinity: no score. */
  attempts: Record<Kind, Float64Array[]>;
  sign: 1 | -1;
  scores: Record<Kind, Float64Array>;
  /** Whether the task is part of each model's mean: in strict mode not where only the infrastructure failed. */
  counted: readonly boolean[];
  /** Of the models, then of the baseline. */
  values: Float64Array;
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
    values: new Float64Array(task.cells.length + 1),
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

/** Mean of each model over the tasks of one resample. */
class Means {
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;
  constructor(models: number) {
    this.#sums = new Float64Array(models);
    this.#weights = new Float64Array(models);
  }
  add(values: Float64Array, counted: readonly boolean[], weight: number): void {
    for (let i = 0; i < counted.length; i++) {
      if (counted[i] !== true) continue;
      this.#sums[i]! += weight * values[i]!;
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
