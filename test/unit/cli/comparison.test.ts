import { describe, expect, it } from 'vitest';
import { renderComparison } from '../../../cli/render/comparison.js';
import { verdictText } from '../../../domain/text/verdict.js';
import { junitOf } from '../../../cli/render/junit.js';
import { markdownForm } from '../../../cli/render/leaderboard-forms.js';
import { type Pairs, pairsSchema } from '../../../domain/views/pairs.js';

const VERDICT: NonNullable<Pairs['verdict']> = {
  ...{ decision: 'better', worse: 'no', winRate: 0.68, interval: { low: 0.57, high: 0.78 }, confidence: 0.95 },
  ...{ margin: 0.1, p: 0.004, wins: 30, ties: 10, losses: 12, tasksAhead: 9, tasksBehind: 1, moreAttempts: null },
};
const side = (more: Partial<Pairs['sides']['a']> = {}): Pairs['sides']['a'] => ({
  ...{ runs: 52, unfinished: 0, costUsd: '26', medianSeconds: 90, ends: { submit: 50, infra_error: 2 } },
  ...more,
});
const one = { runId: 'r-a', model: 'A', score: 1 };
const pairs = (verdict: Partial<NonNullable<Pairs['verdict']>> = {}, more: Partial<Pairs> = {}): Pairs =>
  pairsSchema.parse({
    ...{ a: 'A', b: 'B', by: 'model', verdict: { ...VERDICT, ...verdict }, sides: { a: side(), b: side() } },
    outcomes: { both: 0, onlyA: 0, onlyB: 1, neither: 0 },
    tasks: [
      {
        ...{ task: 'game', metric: 'Score', direction: 'maximize', baseline: 1, mean: 0.5, interval: null, scored: 1 },
        outcomes: { both: 0, onlyA: 0, onlyB: 1, neither: 0 },
        pairs: [{ attempt: 1, sameSeed: true, outcome: 'onlyB', a: one, b: { ...one, runId: 'r-b', score: 1.5 } }],
      },
    ],
    unpaired: { a: 0, b: 0 },
    ...more,
  });

describe('the verdict', () => {
  it('is one sentence with its evidence', () => {
    expect(verdictText(pairs())).toBe(
      'B is better: win rate 0.68 [0.57, 0.78] over 1 task; p = 0.004; ahead on 9 tasks, behind on 1.',
    );
    expect(verdictText(pairs({ decision: 'worse', p: 0.00001 }))).toMatch(/^B is worse: .*; p < 0\.001;/);
    expect(verdictText(pairs({ decision: 'similar' }))).toMatch(/^No difference beyond 0\.1: /);
  });

  it('says what would decide where nothing does', () => {
    expect(verdictText(pairs({ decision: 'undecided', moreAttempts: 12 }))).toMatch(
      /^Not decided: .*; 12 more attempts per task would show a difference of 0\.1\.$/,
    );
  });
});

it('shows tasks, costs, times and ends side by side, and what is missing', () => {
  const text = renderComparison(
    pairs({}, { unpaired: { a: 1, b: 0 }, sides: { a: side(), b: side({ unfinished: 3 }) } }),
    markdownForm,
  );
  expect(text).toContain('| game ↑ | 1 | 1 | 1.5 | 0.5 | only B 1 |');
  expect(text).toContain('| B B | 52 | $26.00 | $0.50 | 1 min 30 s | 3 | 50 (96 %) | 2 (4 %) |');
  expect(text).toContain('Without a partner: 1 runs of A, 0 of B.');
  expect(text).toContain('3 runs not ended: compare again when all have.');
});

describe("JUnit's XML", () => {
  it.each([
    ['yes', 'failures="1" skipped="0"', '<failure message='],
    ['undecided', 'failures="0" skipped="1"', '<skipped message='],
    ['no', 'failures="0" skipped="0"', '<system-out>'],
  ] as const)('of worse: %s', (worse, counts, inside) => {
    const xml = junitOf(pairs({ worse }));
    expect(xml).toContain(counts);
    expect(xml).toContain(inside);
  });

  it('is XML whatever sides are called', () => {
    const xml = junitOf(pairs({}, { a: '<&"\u0000\ud800', b: 'b\nc' }));
    expect(xml).toContain('name="b c is not worse than &lt;&amp;&quot;\ufffd\ufffd"');
    // eslint-disable-next-line no-control-regex
    expect(xml).not.toMatch(/[\u0000-\u0008]/);
  });
});
