import { type Interval, PLAIN_TAIL } from './intervals.js';
import { quantileOfSorted } from './quantile.js';
import { randomIndexes } from './random-index.js';

/** Per resample a weight of each task, and those of the two bounds. */
export interface DrawnWeights {
  tasks: readonly Float64Array[];
  /** Of an observation at 1, and of both bounds together. */
  atOne: Float64Array;
  bounds: Float64Array;
}

/** Weights of the tasks. All models share them, so that intervals are comparable; seeded. */
export function drawWeights(tasks: number, { resamples, seed }: { resamples: number; seed: number }): DrawnWeights {
  const draw = randomIndexes(seed);
  const uniform = (): number => (draw(2 ** 20) + 0.5) / 2 ** 20;
  // Gamma of shape 1; of shape 1/2: half the square of a normal one, by Box and Muller.
  const whole = (): number => -Math.log(uniform());
  const half = (): number => whole() * Math.cos(2 * Math.PI * uniform()) ** 2;
  const atOne = new Float64Array(resamples);
  const bounds = new Float64Array(resamples);
  const drawn = Array.from({ length: resamples }, (_, place) => {
    atOne[place] = half();
    bounds[place] = atOne[place] + half();
    return Float64Array.from({ length: tasks }, whole);
  });
  return { tasks: drawn, atOne, bounds };
}

/**
 * Interval of the mean over tasks, of values from 0 to 1 (NaN: none): quantiles of the Bayesian
 * bootstrap (Rubin 1981) with half an observation at each bound; for zeros and ones, Jeffreys'
 * interval (Brown, Cai, DasGupta 2001). Without the bounds, a few tasks without gain would have
 * width 0. Widened to contain the mean of `values`. Null: fewer than two tasks.
 */
export function boundedMeanInterval(values: ArrayLike<number>, weights: DrawnWeights): Interval | null {
  const known = Array.from(values, (value, task) => ({ value, task })).filter(({ value }) => !Number.isNaN(value));
  if (known.length < 2) return null;
  const means = weights.tasks.map((ofTasks, place) => {
    let [sum, weight] = [weights.atOne[place]!, weights.bounds[place]!];
    for (const { value, task } of known) {
      sum += ofTasks[task]! * value;
      weight += ofTasks[task]!;
    }
    return sum / weight;
  });
  const sorted = Float64Array.from(means).sort();
  const observed = known.reduce((sum, { value }) => sum + value, 0) / known.length;
  return {
    low: Math.min(observed, quantileOfSorted(sorted, PLAIN_TAIL)),
    high: Math.max(observed, quantileOfSorted(sorted, 1 - PLAIN_TAIL)),
  };
}
