import { describe, expect, it } from 'vitest';
import { attemptCurve } from '../../../../domain/statistics/attempt-curve.js';
import { chancesOfWinning } from '../../../../domain/statistics/bradley-terry.js';
import { attemptKey } from '../../../../domain/statistics/gain.js';
import { type ComparedGains, headlines, resampledWinRates } from '../../../../domain/statistics/headlines.js';
import { separation } from '../../../../domain/statistics/separation.js';
import { headlineCoverage } from '../../../../benchmarks/interval-coverage.js';
import { seededRandom } from '../../../setup/random.js';

type Scores = (number | null)[];
const task = (...models: Scores[]): ComparedGains[number] => ({
  ...{ direction: 'maximize', baseline: 0, standardError: 0, target: 10 },
  cells: models.map((best) => ({ best, last: best, ran: true })),
});

/** By its definition: all pairs of attempts. */
function byPairs(tasks: ComparedGains): number[] {
  const models = tasks[0]!.cells.length;
  return Array.from({ length: models }, (_, model) => {
    let sum = 0;
    for (const one of tasks)
      one.cells.forEach((other, i) => {
        if (i === model) return;
        const own = one.cells[model]!.best;
        for (const a of own)
          for (const b of other.best) {
            const [x, y] = [attemptKey(one, a), attemptKey(one, b)];
            sum += (x > y ? 1 : x < y ? 0 : 1 / 2) / own.length / other.best.length;
          }
      });
    return sum / tasks.length / (models - 1);
  });
}

const random = seededRandom(11);
const score = () => (random() < 0.15 ? null : Math.round(12 * random() - 2));
const board = (tasks: number, models: number, attempts: () => number): ComparedGains =>
  Array.from({ length: tasks }, () =>
    task(...Array.from({ length: models }, () => Array.from({ length: attempts() }, score))),
  );

describe('win rate', () => {
  it('is the share of won pairs of attempts, ties being half: worked out by hand', () => {
    // 8 beats both, 2 beats the missing one and loses to 5: 3 of 4. At the second task all tie.
    const { winRate, gain } = headlines([task([8, 2], [5, null]), task([-1], [0])]);
    expect(Array.from(winRate.best)).toEqual([(0.75 + 0.5) / 2, (0.25 + 0.5) / 2]);
    expect(Array.from(gain.best)).toEqual([0.25, 0.125]);
  });

  it('is what all pairs say, whatever the numbers of attempts', () => {
    for (let i = 0; i < 20; i++) {
      const tasks = board(
        1 + Math.floor(random() * 5),
        2 + Math.floor(random() * 4),
        () => 1 + Math.floor(random() * 4),
      );
      const { winRate } = headlines(tasks);
      byPairs(tasks).forEach((value, model) => expect(winRate.best[model]).toBeCloseTo(value, 12));
    }
  });

  it('is not known of a model alone', () => {
    expect(Array.from(headlines([task([1])]).winRate.best)).toEqual([NaN]);
  });

  it('judges models by whom they met, where not all met at all tasks', () => {
    // The second beats the third, who beats the fourth; the first met only the second, lost half.
    const lost = { best: [], last: [], ran: false };
    const tasks: ComparedGains = [
      task([5, 4], [5, 4], [], []),
      task([], [6, 6], [3, 3], [1, 1]),
      task([], [6, 6], [3, 3], [1, 1]),
    ].map((one) => ({ ...one, cells: one.cells.map((cell) => (cell.best.length === 0 ? lost : cell)) }));
    const [first, second, third, fourth] = headlines(tasks).winRate.best;
    expect(first).toBeCloseTo(second!, 2);
    expect(second! > third! && third! > fourth!).toBe(true);
  });

  it('of Bradley and Terry is the share of wins where all met equally often, and finds strengths where not', () => {
    const strengths = [4, 2, 1];
    const wins = new Float64Array(9);
    const meetings = new Float64Array(9);
    strengths.forEach((a, i) =>
      strengths.forEach((b, j) => {
        if (i === j) return;
        meetings[3 * i + j] = 10 * (i + j);
        wins[3 * i + j] = (10 * (i + j) * a) / (a + b);
      }),
    );
    const chances = chancesOfWinning({ wins, meetings }, 3);
    const expected = strengths.map((a, i) => strengths.reduce((sum, b, j) => sum + (i === j ? 0 : a / (a + b) / 2), 0));
    expected.forEach((value, i) => expect(chances[i]).toBeCloseTo(value, 3));
    const even = { wins: Float64Array.of(0, 3, 4, 1, 0, 4, 0, 0, 0), meetings: new Float64Array(9).fill(4) };
    expect(Array.from(chancesOfWinning(even, 3))).toEqual([7 / 8, 5 / 8, 0]);
  });
});

describe('a score that moves by 1e-9', () => {
  const SMALL = 1e-9;
  /** Every attempt, moved up and down; around zero too, where AUP jumps. */
  function* moved(tasks: ComparedGains): Generator<{ tasks: ComparedGains; at: [task: number, model: number] }> {
    for (const [t, one] of tasks.entries())
      for (const [m, cell] of one.cells.entries())
        for (const [i, value] of cell.best.entries())
          for (const by of [SMALL, -SMALL]) {
            if (value === null) continue;
            const best = cell.best.with(i, value + by);
            const cells = one.cells.with(m, { best, last: best, ran: true });
            yield { tasks: tasks.with(t, { ...one, cells }), at: [t, m] };
          }
  }

  it('moves no headline by more than its own share', () => {
    const boards = [
      // At zero, at the baseline, at the noise's end, at the target, and equal to others.
      [task([0, 1e-5], [0, 10], [3, 3]), task([10, 3], [3, -1], [10, 10])],
      board(4, 3, () => 3),
    ];
    for (const tasks of boards) {
      const before = headlines(tasks);
      for (const { tasks: after, at } of moved(tasks)) {
        const found = headlines(after);
        for (const headline of ['winRate', 'gain'] as const)
          found[headline].best.forEach((value, model) => {
            const attempts = tasks[at[0]]!.cells[at[1]]!.best.length;
            const share = 1 / (tasks.length * attempts);
            // Others meet it as one of their opponents only.
            const own = model === at[1] ? share : headline === 'gain' ? 0 : share / (found.gain.best.length - 1);
            expect(Math.abs(value - before[headline].best[model]!)).toBeLessThanOrEqual(own + 1e-12);
          });
      }
    }
  });
});

describe('resamples of the win rates', () => {
  const tasks = board(6, 3, () => 3);

  it('are the same for the same seed, and lie around what was seen', () => {
    const options = { resamples: 400, seed: 3 };
    const once = resampledWinRates(tasks, options);
    expect(resampledWinRates(tasks, options)).toEqual(once);
    expect(resampledWinRates(tasks, { ...options, seed: 4 })).not.toEqual(once);
    const observed = headlines(tasks).winRate.best;
    once.best.forEach((values, model) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(Math.abs(mean - observed[model]!)).toBeLessThan(0.03);
    });
  });

  it('give chances that add up, whether all models ran everywhere or not', () => {
    const lost = tasks.with(0, { ...tasks[0]!, cells: tasks[0]!.cells.with(1, { best: [], last: [], ran: false }) });
    for (const of of [tasks, lost]) {
      const { best } = resampledWinRates(of, { resamples: 50, seed: 1 });
      for (let i = 0; i < 50; i++) expect(best.reduce((sum, values) => sum + values[i]!, 0)).toBeCloseTo(3 / 2, 9);
    }
  });

  it('cover what they should at thirteen tasks, and order no pair wrongly more often than they may', () => {
    const measured = headlineCoverage({ tasks: 13, attempts: 4, experiments: 60, population: 2000 });
    expect(measured.winRate.share).toBeGreaterThanOrEqual(0.93);
    expect(measured.gain.share).toBeGreaterThanOrEqual(0.93);
    expect(measured.pairs).toBeGreaterThanOrEqual(0.95);
    expect(measured.resolved).toBeGreaterThan(0.3);
  });
});

describe('resolved models', () => {
  const samples = (...means: number[]) => means.map((mean) => Float64Array.of(mean - 0.1, mean, mean + 0.1));
  const differs = (_: number, values: Float64Array) =>
    values.every((value) => value > 0.17) || values.every((value) => value < -0.17);

  it('share no letter; neighbours of whom no pair is resolved do', () => {
    const values = [0.5, 0.9, 0.4, 0.55];
    expect(separation(values, samples(...values), differs)).toEqual({
      pairs: 6,
      resolved: 3,
      groups: ['b', 'a', 'b', 'b'],
    });
    const chain = [0.5, 0.4, 0.3];
    expect(separation(chain, samples(...chain), differs).groups).toEqual(['a', 'ab', 'b']);
  });
});

describe('curves over attempts', () => {
  it('are means over all choices of k attempts', () => {
    const curve = attemptCurve([
      [0, 0.5, 1],
      [0, 0, 0],
    ]);
    const best = [(0 + 0.5 + 1) / 3, (0.5 + 1 + 1) / 3, 1];
    const improved = [2 / 3, 1, 1];
    curve.forEach(({ k, gain, improved: share }) => {
      expect(gain).toBeCloseTo(best[k - 1]! / 2, 12);
      expect(share).toBeCloseTo(improved[k - 1]! / 2, 12);
    });
    expect(curve).toHaveLength(3);
    expect(attemptCurve([[1, 1], []])).toEqual([
      { k: 1, gain: 0.5, improved: 0.5 },
      { k: 2, gain: 0.5, improved: 0.5 },
    ]);
    expect(attemptCurve([])).toEqual([]);
  });
});
