import type { Interval } from './intervals.js';
import { normalBeyond } from './normal.js';

/** Pairs of attempts by which side is ahead; `wins` are B's. */
export interface PairCounts {
  wins: number;
  ties: number;
  losses: number;
}

export interface PairVerdict {
  /** Chance that B's attempt of a pair beats A's, a tie being half a win. */
  winRate: number;
  interval: Interval;
  /** Exact sign test, two-sided: how often equal sides would differ as much. */
  p: number;
  decision: 'better' | 'worse' | 'similar' | 'undecided';
  /** Is B worse than A by more than the margin? */
  worse: 'yes' | 'no' | 'undecided';
}

/** Power at which `pairsNeeded` counts. */
const POWER = 0.8;

/**
 * Whether B is better than A, by pairs of attempts at the same tasks. The interval is the product
 * of two exact ones (Clopper and Pearson 1934): of the share of pairs that are no tie, and of B's
 * share of those. It excludes one half exactly if the sign test does. Both are conservative where
 * tasks differ in how often B wins (Hoeffding 1956). Null: there are no pairs.
 *
 * Worse is `yes` if B is worse than A beyond chance, `no` if its win rate is surely above one half
 * less `margin`; so of sides that are equal at most (1 − confidence)/2 are called worse.
 */
export function pairVerdict(
  { wins, ties, losses }: PairCounts,
  { confidence, margin }: { confidence: number; margin: number },
): PairVerdict | null {
  const [decided, pairs] = [wins + losses, wins + ties + losses];
  if (pairs === 0) return null;
  const tail = (1 - confidence) / 2;
  const share = exactInterval(wins, decided, tail);
  const reach = exactInterval(decided, pairs, tail);
  const bound = (of: number, nearer: boolean): number => 0.5 + (nearer ? reach.low : reach.high) * (of - 0.5);
  const interval = { low: bound(share.low, share.low > 0.5), high: bound(share.high, share.high < 0.5) };
  const decision =
    interval.low > 0.5
      ? 'better'
      : interval.high < 0.5
        ? 'worse'
        : interval.low > 0.5 - margin && interval.high < 0.5 + margin
          ? 'similar'
          : 'undecided';
  return {
    ...{ winRate: (wins + ties / 2) / pairs, interval, decision },
    p: Math.min(1, 2 * Math.min(tailOf(wins, decided)(0.5), tailOf(losses, decided)(0.5))),
    worse: interval.low > 0.5 - margin ? 'no' : decision === 'worse' ? 'yes' : 'undecided',
  };
}

/**
 * Pairs after which a win rate that differs from one half by `difference` shows in four of five
 * comparisons, if as many pairs are ties as now: n = (z_confidence + z_power)²·D/(4·d²), where D is
 * the share of pairs that are no tie.
 */
export function pairsNeeded(
  { wins, ties, losses }: PairCounts,
  { confidence, difference }: { confidence: number; difference: number },
): number {
  // Half a pair more of each kind: few pairs without a tie do not mean that there will be none.
  const decided = (wins + losses + 0.5) / (wins + ties + losses + 1);
  const z = normalBeyond((1 - confidence) / 2) + normalBeyond(1 - POWER);
  return Math.ceil((z ** 2 * decided) / (4 * difference ** 2));
}

/** Clopper and Pearson's interval of a share; all of 0 to 1 where there are no trials. */
export function exactInterval(successes: number, trials: number, tail: number): Interval {
  const [atLeast, atMost] = [tailOf(successes, trials), tailOf(trials - successes, trials)];
  return {
    low: successes === 0 ? 0 : solve((share) => atLeast(share) < tail),
    high: successes === trials ? 1 : solve((share) => atMost(1 - share) > tail),
  };
}

/** Where a condition that holds from 0 on ends. */
function solve(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance of so many successes or more, by the chance of one. */
function tailOf(successes: number, trials: number): (share: number) => number {
  let logChoose = 0;
  for (let i = 1; i <= successes; i++) logChoose += Math.log((trials - successes + i) / i);
  return (share) => {
    if (successes <= 0 || share >= 1) return 1;
    if (share <= 0) return 0;
    const odds = share / (1 - share);
    let term = Math.exp(logChoose + successes * Math.log(share) + (trials - successes) * Math.log1p(-share));
    let sum = term;
    for (let k = successes; k < trials && term > 0; k++) {
      term *= ((trials - k) / (k + 1)) * odds;
      sum += term;
    }
    return Math.min(1, sum);
  };
}
