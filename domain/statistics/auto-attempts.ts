import { normalDraw } from './normal.js';
import { FIRST_ATTEMPTS, type OrderRules, plannedLooks, settleOrder } from './settle-order.js';
import { randomIndexes } from './random-index.js';

/** Mean gain of a model over the tasks, as earlier attempts tell it; null: none do. */
export type KnownMean = { mean: number; standardError: number } | null;

/**
 * Standard deviation of models' mean gains, where nothing is known of a model: as among the
 * published models of MLGym-Bench.
 */
const AMONG_MODELS = 0.2;

/**
 * What `attempts: auto` may give out: simulated batches, [batch][look][task][model]. A batch draws
 * the models' mean gains, then attempts that vary by `spread`, and is played by the rules of real
 * ones. Tasks shift all gains alike, which changes no order. Deterministic.
 */
export function simulateAuto(
  { tasks, models, spread }: { tasks: number; models: readonly KnownMean[]; spread: number },
  rules: OrderRules,
  batches: number,
): number[][][][] {
  const draw = randomIndexes(tasks + 31 * models.length);
  const known = models.flatMap((one) => (one === null ? [] : [one.mean]));
  const middle = known.length === 0 ? 0 : known.reduce((sum, mean) => sum + mean, 0) / known.length;
  return Array.from({ length: batches }, () => {
    const means = models.map((one) =>
      one === null ? middle + AMONG_MODELS * normalDraw(draw) : one.mean + one.standardError * normalDraw(draw),
    );
    return looksOfBatch(tasks, rules, (model) => means[model]! + spread * normalDraw(draw), models.length);
  });
}

function looksOfBatch(
  tasks: number,
  rules: OrderRules,
  attempt: (model: number) => number,
  models: number,
): number[][][] {
  const gains = Array.from({ length: tasks }, () => Array.from({ length: models }, (): number[] => []));
  const looks: number[][][] = [gains.map((ofTask) => ofTask.map(() => FIRST_ATTEMPTS))];
  for (;;) {
    const given = looks.at(-1)!;
    for (const [task, ofTask] of given.entries())
      for (const [model, count] of ofTask.entries())
        for (let nth = 0; nth < count; nth++) gains[task]![model]!.push(attempt(model));
    if (looks.length >= plannedLooks(rules)) return looks;
    const counts = gains.map((ofTask) => ofTask.map(({ length }) => length));
    const { more, open } = settleOrder(gains, counts, rules);
    if (open === 0 || !more.flat().some(Boolean)) return looks;
    looks.push(more);
  }
}
