// How often the gate of `bench compare` and of schedules errs, simulated: npm run benchmark:gate
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type GateOutcome, gateOutcome } from '../domain/statistics/gate.js';
import { type PairCounts, pairVerdict, type PairVerdict } from '../domain/statistics/verdict.js';

const RULES = { confidence: 0.95, margin: 0.1 };
/** One attempt in seven has no score; two of those tie. */
const FAILED = 0.15;

/** Scores of one batch; null: none. */
type Batch = readonly (number | null)[];

export interface Verdicts {
  /** True chance that an attempt of B beats one of A, a tie being half a win. */
  winRate: number;
  worse: number;
  notWorse: number;
  undecided: number;
}

/** Shares of comparisons of `pairs` pairs. `drop`: of B's scores, in standard deviations. */
export function verdictShares(pairs: number, drop: number, experiments: number): Verdicts {
  const random = simulation(1);
  const shares = { worse: 0, notWorse: 0, undecided: 0 };
  let won = 0;
  for (let nth = 0; nth < experiments; nth++) {
    const counts = countsOf(random.batch(pairs, 0), random.batch(pairs, drop));
    won += (counts.wins + counts.ties / 2) / pairs;
    const { worse } = verdictOf(counts);
    shares[worse === 'yes' ? 'worse' : worse === 'no' ? 'notWorse' : 'undecided'] += 1 / experiments;
  }
  return { winRate: won / experiments, ...shares };
}

export interface Nights {
  /** Drop of the scores of each night, in standard deviations; the first is 0. */
  drops: readonly number[];
  pairs: number;
  schedules: number;
  accepts: (outcome: GateOutcome) => boolean;
}

/** What a night is compared with: the last of these. Schedules accept all but worse ones. */
export const ACCEPTANCE: Readonly<Record<string, Nights['accepts']>> = {
  'all but worse ones': (outcome) => outcome !== 'worse',
  'surely not worse ones': (outcome) => ['first', 'better', 'not_worse'].includes(outcome),
  'the first one': (outcome) => outcome === 'first',
};

/** Nights that each schedule calls worse, from 0. */
export function alarmsOf({ drops, pairs, schedules, accepts }: Nights): number[][] {
  const random = simulation(2);
  return Array.from({ length: schedules }, () => {
    let base: Batch | null = null;
    return drops.flatMap((drop, night) => {
      const batch = random.batch(pairs, drop);
      const verdict = base === null ? null : verdictOf(countsOf(base, batch));
      const { outcome } = gateOutcome({ verdict, counted: pairs });
      if (accepts(outcome)) base = batch;
      return outcome === 'worse' ? [night] : [];
    });
  });
}

const verdicts = new Map<string, PairVerdict>();
function verdictOf(counts: PairCounts): PairVerdict {
  const key = `${counts.wins} ${counts.ties} ${counts.losses}`;
  const known = verdicts.get(key) ?? pairVerdict(counts, RULES)!;
  verdicts.set(key, known);
  return known;
}

function countsOf(a: Batch, b: Batch): PairCounts {
  const counts = { wins: 0, ties: 0, losses: 0 };
  a.forEach((score, nth) => {
    const [ofA, ofB] = [score ?? -Infinity, b[nth] ?? -Infinity];
    counts[ofB > ofA ? 'wins' : ofB < ofA ? 'losses' : 'ties']++;
  });
  return counts;
}

function simulation(seed: number) {
  const generator = xoroshiro128plus(seed);
  const uniform = () => ((generator.next() >>> 0) + 0.5) / 0x1_0000_0000;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    batch: (pairs: number, drop: number): Batch =>
      Array.from({ length: pairs }, () => (uniform() < FAILED ? null : normal() - drop)),
  };
}
