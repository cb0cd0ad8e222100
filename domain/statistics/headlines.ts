import { chancesOfWinning } from './bradley-terry.js';
import { type Kind, KINDS } from './compared.js';
import { attemptKey, type GainedTask, hasGains } from './gain.js';
import { addPairWins, type SortedKeys, sortedKeys } from './pair-wins.js';
import { randomIndexes } from './random-index.js';
import type { AttemptCell, Samples } from './resampled-positions.js';

/** Each task with one cell per model, in the same order at every task. */
export type ComparedGains = readonly (GainedTask & { cells: readonly AttemptCell[] })[];

/**
 * Per model; NaN: no other model, or no task with gains. winRate: P(an attempt of the model beats
 * one of another model at a task, each drawn evenly); a tie is half a win. gain: the mean over
 * tasks of the mean gain.
 */
export type Headlines = Record<'winRate' | 'gain', Record<Kind, Float64Array>>;

export function headlines(tasks: ComparedGains): Headlines {
  const layouts = tasks.map(layOut);
  const evenly = new Float64Array(tasks.length).fill(1);
  const models = tasks[0]?.cells.length ?? 0;
  const gain = (kind: Kind) =>
    meanOverTasks(
      layouts.map((layout) => gainsAt(layout, kind)),
      evenly,
      models,
    );
  return {
    winRate: { best: winRates(layouts, 'best', evenly), last: winRates(layouts, 'last', evenly) },
    gain: { best: gain('best'), last: gain('last') },
  };
}

/**
 * Paired resamples of the win rates: each compares all models on one draw, with replacement, of as
 * many tasks and attempts of each model as there are. Deterministic by input and seed.
 */
export function resampledWinRates(
  tasks: ComparedGains,
  { resamples, seed }: { resamples: number; seed: number },
): Samples {
  const layouts = tasks.map(layOut);
  const models = tasks[0]?.cells.length ?? 0;
  // Positions are drawn from seed + 1.
  const draw = randomIndexes(seed + 2);
  const times = new Float64Array(tasks.length);
  const columns = () => Array.from({ length: models }, () => new Float64Array(resamples));
  const samples = { best: columns(), last: columns() };
  for (let place = 0; place < resamples; place++) {
    times.fill(0);
    for (let i = 0; i < tasks.length; i++) times[draw(tasks.length)]! += 1;
    // More than a third of the tasks are not in a draw.
    for (const [task, layout] of layouts.entries()) if (times[task] !== 0) drawAttempts(layout, draw);
    for (const kind of KINDS) {
      const rates = winRates(layouts, kind, times);
      samples[kind].forEach((values, model) => (values[place] = rates[model]!));
    }
  }
  return samples;
}

/** Per task the mean gain of each model's attempts; NaN: it did not run, or has no gains. */
export function gainsByTask(tasks: ComparedGains): Record<Kind, Float64Array[]> {
  const layouts = tasks.map(layOut);
  const of = (kind: Kind) => layouts.map((layout) => gainsAt(layout, kind));
  return { best: of('best'), last: of('last') };
}

/** A task's attempts in one list, models one after the other. */
interface TaskLayout {
  /** Model of each attempt. */
  owners: Int32Array;
  /** Per model where its attempts begin, and then the end. */
  starts: Int32Array;
  /** How many each model has; 0: it did not run. */
  attempts: Float64Array;
  /** How often each attempt counts in this draw. */
  counts: Float64Array;
  /** Of its model's attempts, each attempt. */
  shares: Float64Array;
  /** Null: the task has no gains. */
  gains: Record<Kind, Float64Array | null>;
  sorted: Record<Kind, SortedKeys>;
}

function layOut(task: ComparedGains[number]): TaskLayout {
  const { cells } = task;
  const attempts = new Float64Array(cells.length);
  const starts = new Int32Array(cells.length + 1);
  for (let model = 0; model < cells.length; model++) {
    const { best, ran } = cells[model]!;
    // A model not submitted for the task counts as one attempt without a score.
    attempts[model] = best.length > 0 ? best.length : ran ? 1 : 0;
    starts[model + 1] = starts[model]! + attempts[model]!;
  }
  const count = starts[cells.length]!;
  const owners = new Int32Array(count);
  const shares = new Float64Array(count);
  for (let model = 0; model < cells.length; model++) {
    owners.fill(model, starts[model], starts[model + 1]);
    shares.fill(1 / attempts[model]!, starts[model], starts[model + 1]);
  }
  const known = hasGains(task) || count === 0;
  const ofKind = (kind: Kind) => {
    const [gains, keys] = [known ? new Float64Array(count) : null, new Float64Array(count)];
    for (let model = 0, i = 0; model < cells.length; model++) {
      const scores = cells[model]![kind];
      for (const end = starts[model + 1]!, start = i; i < end; i++) {
        const score = scores[i - start] ?? null;
        keys[i] = attemptKey(task, score);
        if (gains !== null) gains[i] = keys[i]!;
      }
    }
    return { gains, sorted: sortedKeys(keys) };
  };
  const [best, last] = [ofKind('best'), ofKind('last')];
  return {
    ...{ owners, starts, attempts, shares, counts: new Float64Array(count).fill(1) },
    gains: { best: best.gains, last: last.gains },
    sorted: { best: best.sorted, last: last.sorted },
  };
}

function drawAttempts({ starts, attempts, counts }: TaskLayout, draw: (below: number) => number): void {
  counts.fill(0);
  for (let model = 0; model < attempts.length; model++) {
    const [start, length] = [starts[model]!, attempts[model]!];
    for (let i = 0; i < length; i++) counts[start + (length === 1 ? 0 : draw(length))]! += 1;
  }
}

/** Of each model, each task counting so many times. */
function winRates(layouts: readonly TaskLayout[], kind: Kind, times: Float64Array): Float64Array {
  const models = layouts[0]?.attempts.length ?? 0;
  if (models < 2) return new Float64Array(models).fill(NaN);
  const complete = layouts.every(({ attempts }) => attempts.every((count) => count > 0));
  if (complete) return sharesOfWins(layouts, kind, times);
  const record = { wins: new Float64Array(models * models), meetings: new Float64Array(models * models) };
  layouts.forEach(({ sorted, owners, counts, attempts }, task) => {
    if (times[task] !== 0) addPairWins(sorted[kind], owners, counts, attempts, times[task]!, record);
  });
  return chancesOfWinning(record, models);
}

/** All pairs met at all tasks: the chance is the share of wins, a mean over the tasks. */
function sharesOfWins(layouts: readonly TaskLayout[], kind: Kind, times: Float64Array): Float64Array {
  const models = layouts[0]!.attempts.length;
  const beaten = new Float64Array(models);
  let drawn = 0;
  for (const [task, layout] of layouts.entries()) {
    if (times[task] !== 0) addBeaten(layout, kind, times[task]!, beaten);
    drawn += times[task]!;
  }
  // Against its own attempts each model has half of all, which are no wins.
  return beaten.map((share) => (share / drawn - 1 / 2) / (models - 1));
}

/** Per model; NaN: it did not run, or the task has no gains. */
function gainsAt({ gains, starts, attempts, counts }: TaskLayout, kind: Kind): Float64Array {
  const ofTask = gains[kind];
  return attempts.map((count, model) => {
    if (ofTask === null || count === 0) return NaN;
    let sum = 0;
    for (let i = starts[model]!; i < starts[model + 1]!; i++) sum += counts[i]! * ofTask[i]!;
    return sum / count;
  });
}

/** Adds per model the share of all models' attempts, its own among them, that its attempts beat. */
function addBeaten({ sorted, owners, counts, shares }: TaskLayout, kind: Kind, times: number, beaten: Float64Array) {
  const { order, ends } = sorted[kind];
  let below = 0;
  for (let start = 0; start < order.length;) {
    const end = ends[start]!;
    let equal = 0;
    for (let i = start; i < end; i++) {
      const attempt = order[i]!;
      equal += counts[attempt]! * shares[attempt]!;
    }
    const beats = times * (below + equal / 2);
    for (let i = start; i < end; i++) {
      const attempt = order[i]!;
      beaten[owners[attempt]!]! += beats * counts[attempt]! * shares[attempt]!;
    }
    below += equal;
    start = end;
  }
}

function meanOverTasks(values: readonly Float64Array[], times: Float64Array, models: number): Float64Array {
  const sums = new Float64Array(models);
  const weights = new Float64Array(models);
  for (const [task, ofTask] of values.entries()) {
    const weight = times[task]!;
    if (weight === 0) continue;
    for (let model = 0; model < models; model++) {
      const value = ofTask[model]!;
      if (Number.isNaN(value)) continue;
      sums[model]! += weight * value;
      weights[model]! += weight;
    }
  }
  return sums.map((sum, model) => sum / weights[model]!);
}
