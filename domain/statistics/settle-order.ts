import { believedVariances } from './spread-of-gains.js';
import { normalBeyond } from './normal.js';

/** Gains of the attempts that count, [task][model]; every model plays the same tasks. */
export type AttemptGains = readonly (readonly (readonly number[])[])[];

export interface OrderRules {
  /** Each pair's order is right with this probability, however often it was looked at. */
  confidence: number;
  /** Of one model at one task. */
  maxAttempts: number;
}

/** Rules of new batches; each keeps those that it began with. */
export const ORDER_RULES: OrderRules = { confidence: 0.95, maxAttempts: 16 };

/** Two attempts tell a spread. */
export const FIRST_ATTEMPTS = 2;
/** Between two looks the attempts grow by half. */
const GROWTH = 1.5;

/** A pair is given up if the most attempts would not settle its difference plus so many errors. */
const HOPE = 0.5;

/** Looks at the order that are planned beforehand. */
export const plannedLooks = ({ maxAttempts }: Pick<OrderRules, 'maxAttempts'>): number =>
  1 + Math.max(0, Math.ceil(Math.log(maxAttempts / FIRST_ATTEMPTS) / Math.log(GROWTH)));

/** A pair of models by mean gain. */
interface Pair {
  models: readonly [number, number];
  difference: number;
  /** Of the difference. */
  variance: number;
  /** `close`: not even the most attempts are likely to settle it. */
  state: 'settled' | 'open' | 'close';
}

export interface Order {
  pairs: readonly Pair[];
  settled: number;
  open: number;
  /** Further attempts: [task][model]. All 0: no pair is open, or all cells have the most. */
  more: number[][];
}

/**
 * Whether the order of models by mean gain is settled, and which attempts would settle most.
 * A pair is settled if its difference exceeds its error at the confidence, which all planned looks
 * share (Bonferroni). Tasks are fixed; the error is that of other attempts.
 *
 * Attempts go one by one, until they should suffice, to the cell that most reduces the open pairs'
 * errors relative to their differences: the weights of OCBA (Chen, Lin, Yücesan and Chick 2000),
 * n ∝ variance / difference², with the variance of all models at the task. `given`: attempts of
 * each cell so far, including those that do not count.
 */
export function settleOrder(gains: AttemptGains, given: readonly (readonly number[])[], rules: OrderRules): Order {
  const [tasks, models] = [gains.length, gains[0]?.length ?? 0];
  const z = normalBeyond((1 - rules.confidence) / 2 / plannedLooks(rules));
  const flat = believedVariances(gains.flat());
  // Not by a cell's own spread: one whose first attempts agree would keep their biased mean.
  const ofTasks = gains.map((_, task) => meanOf(flat.slice(task * models, (task + 1) * models)));
  const varianceAt = (task: number, model: number): number => flat[task * models + model]!;
  const count = gains.map((ofTask) => ofTask.map(({ length }) => length));
  const means = Array.from({ length: models }, (_, model) => meanOf(gains.map((ofTask) => meanOf(ofTask[model]!))));
  const errorOf = (model: number, attempts: (task: number) => number): number =>
    gains.reduce((sum, _, task) => sum + varianceAt(task, model) / Math.max(1, attempts(task)), 0) / tasks ** 2;
  const errors = means.map((_, model) => errorOf(model, (task) => count[task]![model]!));
  // Attempts that did not count are not made up for beyond the most.
  const room = (task: number, model: number): number => Math.max(0, rules.maxAttempts - given[task]![model]!);
  const least = means.map((_, model) => errorOf(model, (task) => count[task]![model]! + room(task, model)));

  const pairs: Pair[] = [];
  for (let a = 0; a < models; a++)
    for (let b = a + 1; b < models; b++) {
      const difference = Math.abs(means[a]! - means[b]!);
      const variance = errors[a]! + errors[b]!;
      const best = z * Math.sqrt(least[a]! + least[b]!);
      const state =
        difference > z * Math.sqrt(variance)
          ? 'settled'
          : difference + HOPE * Math.sqrt(variance) < best
            ? 'close'
            : 'open';
      pairs.push({ models: [a, b], difference, variance, state });
    }
  const open = pairs.filter(({ state }) => state === 'open');
  const more = gains.map((ofTask) => ofTask.map(() => 0));
  // The error that settles each open pair at its difference; out of reach, at one larger by HOPE.
  const enough = new Map(
    open.map((pair) => {
      const [a, b] = pair.models;
      const seen = pair.difference > z * Math.sqrt(least[a]! + least[b]!);
      return [pair, ((seen ? pair.difference : pair.difference + HOPE * Math.sqrt(pair.variance)) / z) ** 2];
    }),
  );
  const expected = errors.slice();
  const all = given.flat().reduce((sum, one) => sum + one, 0);
  for (let left = Math.ceil((GROWTH - 1) * all); left > 0; left--) {
    // Value of an attempt of the model for the pairs that the attempts so far should not settle.
    const worth = new Float64Array(models);
    for (const { models: both, difference, variance } of open.filter((pair) => expectedOf(pair) > enough.get(pair)!))
      for (const model of both) worth[model]! += 1 / (difference ** 2 + variance);
    let [most, at] = [0, [0, 0] as [number, number]];
    for (let task = 0; task < tasks; task++)
      for (let model = 0; model < models; model++) {
        const n = Math.max(1, count[task]![model]! + more[task]![model]!);
        if (worth[model] === 0 || room(task, model) <= more[task]![model]!) continue;
        const lessened = (worth[model]! * ofTasks[task]!) / (n * (n + 1));
        if (lessened > most) [most, at] = [lessened, [task, model]];
      }
    if (most === 0) break;
    const [task, model] = at;
    const n = Math.max(1, count[task]![model]! + more[task]![model]!);
    expected[model]! -= varianceAt(task, model) / (n * (n + 1)) / tasks ** 2;
    more[task]![model]! += 1;
  }
  function expectedOf({ models: [a, b] }: Pair): number {
    return expected[a]! + expected[b]!;
  }
  return { pairs, settled: pairs.filter(({ state }) => state === 'settled').length, open: open.length, more };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
