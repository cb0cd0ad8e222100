import { type ComparedTask, type Kind, KINDS } from './compared.js';
import { randomIndexes } from './random-index.js';
import { taskPositions } from './task-positions.js';

/** One model at one task: counted attempts, best[i] and last[i] of one run; null: no score. */
export interface AttemptCell {
  best: readonly (number | null)[];
  last: readonly (number | null)[];
  ran: boolean;
}

/** Each task with one cell per model, in one order. A task's baseline is compared too. */
export type ComparedAttempts = readonly (ComparedTask & { cells: readonly AttemptCell[] })[];

/** Per model its figure in each resample. */
export type Samples = Record<Kind, Float64Array[]>;

/**
 * Each model's average position among models and baseline, observed and in each resample of the
 * tasks, times -1: more is better. NaN: no task of that resample counts for it. Deterministic by
 * input and seed.
 */
export function resampledPositions(
  tasks: ComparedAttempts,
  { resamples, seed }: { resamples: number; seed: number },
): { observed: Record<Kind, number[]>; samples: Samples } {
  const placed = { best: positionsOf(tasks, 'best'), last: positionsOf(tasks, 'last') };
  const models = tasks[0]?.cells.length ?? 0;
  const empty = () => Array.from({ length: models }, () => new Float64Array(resamples));
  const samples = { best: empty(), last: empty() };
  const times = new Float64Array(tasks.length);
  const draw = randomIndexes(seed + 1);
  for (let place = 0; place < resamples; place++) {
    times.fill(0);
    for (let i = 0; i < times.length; i++) times[draw(times.length)]! += 1;
    for (const kind of KINDS)
      samples[kind].forEach((values, model) => (values[place] = -meanOf(placed[kind], times, model)));
  }
  const once = new Float64Array(tasks.length).fill(1);
  const observed = (kind: Kind) => samples[kind].map((_, model) => -meanOf(placed[kind], once, model));
  return { observed: { best: observed('best'), last: observed('last') }, samples };
}

/** Per task the position of each model; NaN: only the infrastructure failed. */
function positionsOf(tasks: ComparedAttempts, kind: Kind): Float64Array[] {
  const withBaseline = tasks.some(({ baseline }) => baseline !== null);
  return tasks.map(({ direction, baseline, cells }) => {
    const maximize = direction === 'maximize';
    const scores = Float64Array.from([...cells.map((cell) => bestOf(cell[kind], maximize)), baseline ?? NaN]);
    const takesPlace = (method: number): boolean => {
      const cell = cells[method];
      return cell === undefined ? withBaseline : cell.ran || cell.best.length > 0;
    };
    return taskPositions(scores, maximize, takesPlace, new Float64Array(scores.length));
  });
}

function bestOf(scores: readonly (number | null)[], maximize: boolean): number {
  const known = scores.filter((score) => score !== null);
  if (known.length === 0) return NaN;
  return maximize ? Math.max(...known) : Math.min(...known);
}

function meanOf(positions: readonly Float64Array[], times: Float64Array, model: number): number {
  let [sum, weight] = [0, 0];
  positions.forEach((ofTask, task) => {
    if (times[task] === 0 || Number.isNaN(ofTask[model]!)) return;
    sum += times[task]! * ofTask[model]!;
    weight += times[task]!;
  });
  return sum / weight;
}
