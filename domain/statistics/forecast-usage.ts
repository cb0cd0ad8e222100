import { normalDraw } from './normal.js';
import { quantileOfSorted } from './quantile.js';
import { randomIndexes } from './random-index.js';

/** What one run used, or may use. */
export interface Usage {
  /** US dollars. */
  usd: number;
  /** Input and output. */
  tokens: number;
  ms: number;
}

/** Runs that are planned alike. */
export interface PlannedRuns {
  runs: number;
  /**
   * Instead of `runs`, how many each look of an adaptive batch begins, [draw][look]. A look waits
   * for all runs before it.
   */
  looks?: readonly (readonly number[])[];
  /** What runs like these used. `ms` null: not recorded. */
  past: readonly (Omit<Usage, 'ms'> & { ms: number | null })[];
  /**
   * By how much their use may differ as a whole from what is planned, as the standard deviation of
   * a logarithm: no number of runs of another agent or harness tells that. Absent: 0.
   */
  apart?: number;
  /** The most that one can use: of what nothing is known otherwise. Infinity: no bound. */
  most: Usage;
}

/** `expected` null: for some runs only their limits are known. `high` null: some have no limit. */
export interface UsageRange {
  low: number;
  expected: number | null;
  high: number | null;
}

export type UsageForecast = Record<keyof Usage, UsageRange>;

const DRAWS = 400;
/** A 90 % interval. */
const [LOW, HIGH] = [0.05, 0.95];
/** Prior spread (standard deviation of logarithms) of runs of one kind, and its observations. */
const PRIOR = { spread: 0.7, weight: 4 };

/**
 * Total use of the runs, and their time with `places` at once, in the given order: median and 90 %
 * interval of draws. A run draws from past runs of its kind. Few say little of the mean: each draw
 * scales a kind by exp(s·z/√n): z standard normal, n past runs, s the spread of their logarithms,
 * pooled over kinds; `apart` widens it. Runs without past ones count 0 at the low end, their limits
 * at the high end. Deterministic.
 */
export function forecastUsage(planned: readonly PlannedRuns[], places: number): UsageForecast {
  const draw = randomIndexes(planned.length);
  const known = planned.filter(({ past }) => past.length > 0);
  const spread = pooledSpread(known);
  const totals = { usd: new Float64Array(DRAWS), tokens: new Float64Array(DRAWS), ms: new Float64Array(DRAWS) };
  for (let nth = 0; nth < DRAWS; nth++) {
    const durations: number[][] = [];
    for (const kind of known) {
      const { past, apart = 0 } = kind;
      const scale = Math.exp(Math.hypot(spread / Math.sqrt(past.length), apart) * normalDraw(draw));
      for (const [look, runs] of looksIn(kind, nth).entries()) {
        const ofLook = (durations[look] ??= []);
        for (let run = 0; run < runs; run++) {
          const { usd, tokens, ms } = past[draw(past.length)]!;
          totals.usd[nth]! += usd * scale;
          totals.tokens[nth]! += tokens * scale;
          if (ms !== null) ofLook.push(ms * scale);
        }
      }
    }
    totals.ms[nth] = durations.reduce((sum, ofLook) => sum + lastEnd(ofLook, places), 0);
  }
  const range = (of: keyof Usage): UsageRange => {
    const sorted = totals[of].sort();
    const unknown = planned.filter(({ past }) => past.length === 0 || past.some((one) => one[of] === null));
    const limits = unknown.flatMap((kind) => Array<number>(mostRuns(kind)).fill(kind.most[of]));
    const most = of === 'ms' ? lastEnd(limits, places) : limits.reduce((sum, one) => sum + one, 0);
    const high = quantileOfSorted(sorted, HIGH) + most;
    return {
      low: quantileOfSorted(sorted, LOW),
      expected: unknown.length > 0 ? null : quantileOfSorted(sorted, 0.5),
      high: Number.isFinite(high) ? high : null,
    };
  };
  return { usd: range('usd'), tokens: range('tokens'), ms: range('ms') };
}

/** Spread of durations: they vary with all else that a run uses, and free models have them too. */
function pooledSpread(known: readonly PlannedRuns[]): number {
  let [squares, freedom] = [PRIOR.weight * PRIOR.spread ** 2, PRIOR.weight];
  for (const { past } of known) {
    const logs = past.flatMap(({ ms }) => (ms === null || ms === 0 ? [] : [Math.log(ms)]));
    if (logs.length < 2) continue;
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    squares += logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
    freedom += logs.length - 1;
  }
  return Math.sqrt(squares / freedom);
}

const looksIn = ({ runs, looks }: PlannedRuns, draw: number): readonly number[] =>
  looks === undefined ? [runs] : looks[draw % looks.length]!;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const mostRuns = ({ runs, looks }: PlannedRuns): number =>
  looks === undefined ? runs : Math.max(...looks.map((ofDraw) => sumOf(ofDraw)));

/** When the last of them ends: each begins, in order, when the earliest of `places` is free. */
export function lastEnd(durations: readonly number[], places: number): number {
  const free = new Float64Array(Math.max(1, Math.min(places, durations.length)));
  let last = 0;
  // `free` is a heap: its root is the place that is free first.
  for (const ms of durations) {
    const end = free[0]! + ms;
    last = Math.max(last, end);
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= free.length) break;
      const child = left + 1 < free.length && free[left + 1]! < free[left]! ? left + 1 : left;
      if (free[child]! >= end) break;
      free[at] = free[child]!;
      at = child;
    }
    free[at] = end;
  }
  return last;
}
