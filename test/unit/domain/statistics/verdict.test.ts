import { describe, expect, it } from 'vitest';
import { randomIndexes } from '../../../../domain/statistics/random-index.js';
import { exactInterval, type PairCounts, pairsNeeded, pairVerdict } from '../../../../domain/statistics/verdict.js';

const usual = { confidence: 0.95, margin: 0.1 };

describe('the interval of a share', () => {
  // Clopper and Pearson's, as tables give it.
  it.each([
    [0, 10, 0, 0.3085],
    [3, 10, 0.0667, 0.6525],
    [10, 10, 0.6915, 1],
    [40, 100, 0.3033, 0.5028],
    [0, 0, 0, 1],
  ])('of %i in %i is [%f, %f]', (successes, trials, low, high) => {
    const found = exactInterval(successes, trials, 0.025);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });
});

describe('the verdict on pairs', () => {
  it.each<[PairCounts, string, string]>([
    [{ wins: 30, ties: 12, losses: 10 }, 'better', 'no'],
    [{ wins: 10, ties: 12, losses: 30 }, 'worse', 'yes'],
    [{ wins: 5, ties: 2, losses: 5 }, 'undecided', 'undecided'],
    [{ wins: 0, ties: 2, losses: 0 }, 'undecided', 'undecided'],
    [{ wins: 0, ties: 200, losses: 0 }, 'similar', 'no'],
    [{ wins: 1, ties: 0, losses: 0 }, 'undecided', 'undecided'],
    // Worse beyond chance, but by less than the margin.
    [{ wins: 4, ties: 400, losses: 20 }, 'worse', 'no'],
  ])('of %j is %s, and worse: %s', (counts, decision, worse) => {
    const found = pairVerdict(counts, usual)!;
    expect([found.decision, found.worse]).toEqual([decision, worse]);
    expect(found.interval.low).toBeLessThanOrEqual(found.winRate);
    expect(found.interval.high).toBeGreaterThanOrEqual(found.winRate);
    // One rule: the test and the interval never disagree.
    expect(found.p < 0.05).toBe(decision === 'better' || decision === 'worse');
  });

  it('has the p of the sign test', () => {
    expect(pairVerdict({ wins: 9, ties: 3, losses: 1 }, usual)!.p).toBeCloseTo(22 / 1024, 10);
    expect(pairVerdict({ wins: 0, ties: 0, losses: 0 }, usual)).toBeNull();
  });

  it('treats both sides alike', () => {
    const [one, other] = [
      pairVerdict({ wins: 20, ties: 7, losses: 9 }, usual)!,
      pairVerdict({ wins: 9, ties: 7, losses: 20 }, usual)!,
    ];
    expect(one.interval.low).toBeCloseTo(1 - other.interval.high, 10);
    expect(one.p).toBe(other.p);
  });

  it('takes thousands of pairs', () => {
    const found = pairVerdict({ wins: 5200, ties: 1000, losses: 4800 }, usual)!;
    expect(found.decision).toBe('better');
    expect(found.p).toBeGreaterThan(1e-5);
  });
});

/** Nights of 13 tasks × 4 attempts; tasks differ in how often a pair is a tie, and who is ahead. */
function nights(count: number, chanceOfB: (task: number) => number, seed: number): PairCounts[] {
  const draw = randomIndexes(seed);
  const uniform = (): number => draw(2 ** 20) / 2 ** 20;
  return Array.from({ length: count }, () => {
    const counts = { wins: 0, ties: 0, losses: 0 };
    for (let task = 0; task < 13; task++)
      for (let attempt = 0; attempt < 4; attempt++)
        if (uniform() < task / 20) counts.ties++;
        else if (uniform() < chanceOfB(task)) counts.wins++;
        else counts.losses++;
    return counts;
  });
}
const known = new Map<string, boolean>();
function isWorse(counts: PairCounts): boolean {
  const key = JSON.stringify(counts);
  if (!known.has(key)) known.set(key, pairVerdict(counts, usual)!.worse === 'yes');
  return known.get(key)!;
}
const shareWorse = (all: readonly PairCounts[]): number => all.filter(isWorse).length / all.length;

describe('over 2,000 simulated nights', () => {
  it('an unchanged side is called worse in at most the stated share', () => {
    expect(shareWorse(nights(2000, () => 0.5, 1))).toBeLessThanOrEqual(0.025);
    // Better at half of the tasks, worse at as many.
    expect(shareWorse(nights(2000, (task) => (task % 2 === 0 ? 0.5 : task < 6 ? 0.8 : 0.2), 2))).toBeLessThanOrEqual(
      0.025,
    );
  });

  it('one that loses three of four decided pairs is called worse in most', () => {
    expect(shareWorse(nights(2000, () => 0.25, 3))).toBeGreaterThan(0.8);
  });
});

it('counts the pairs that would show a difference', () => {
  // (1.96 + 0.84)² / (4 · 0.01) where no pair is a tie.
  expect(pairsNeeded({ wins: 5e6, ties: 0, losses: 5e6 }, { confidence: 0.95, difference: 0.1 })).toBe(197);
  expect(pairsNeeded({ wins: 10, ties: 60, losses: 10 }, { confidence: 0.95, difference: 0.1 })).toBeLessThan(60);
});
