import { describe, expect, it } from 'vitest';
import { alarmsOf, ACCEPTANCE, verdictShares } from '../../../../benchmarks/gate-simulation.js';
import { attemptSign } from '../../../../domain/statistics/gain.js';
import { gateOutcome } from '../../../../domain/statistics/gate.js';
import { pairVerdict } from '../../../../domain/statistics/verdict.js';

const outcomeOf = (wins: number, ties: number, losses: number) =>
  gateOutcome({ verdict: pairVerdict({ wins, ties, losses }, { confidence: 0.95, margin: 0.1 }), counted: 8 });

describe('the outcome of a run of a schedule', () => {
  it('is accepted unless it is worse', () => {
    expect(outcomeOf(0, 0, 8)).toEqual({ outcome: 'worse', accepted: false });
    expect(outcomeOf(8, 0, 0)).toEqual({ outcome: 'better', accepted: true });
    expect(outcomeOf(4, 0, 4)).toEqual({ outcome: 'undecided', accepted: true });
    expect(outcomeOf(0, 40, 0)).toEqual({ outcome: 'not_worse', accepted: true });
  });

  it('is the first where nothing is comparable, and undecided where nothing counts', () => {
    expect(gateOutcome({ verdict: null, counted: 3 })).toEqual({ outcome: 'first', accepted: true });
    expect(gateOutcome({ verdict: null, counted: 0 })).toEqual({ outcome: 'undecided', accepted: false });
  });

  it('is worse on at most one unchanged night in forty, whichever night it is', () => {
    const of = { drops: Array<number>(20).fill(0), pairs: 52, schedules: 300 };
    const share = (accepts: string) =>
      alarmsOf({ ...of, accepts: ACCEPTANCE[accepts]! }).flat().length / (of.schedules * 19);
    expect(share('all but worse ones')).toBeLessThan(0.03);
    // Which is why undecided ones are accepted.
    expect(share('surely not worse ones')).toBeGreaterThan(0.05);
  });

  it('has the power that the guide states: 160 pairs find a loss of 0.1 in two of three comparisons', () => {
    const { winRate, worse } = verdictShares(160, 0.5, 500);
    expect([winRate, worse]).toEqual([expect.closeTo(0.4, 1), expect.closeTo(0.7, 1)]);
  });
});

describe('two attempts', () => {
  const task = { direction: 'maximize', baseline: 1, standardError: 0.1, target: null } as const;
  it('tie within the noise of two evaluations, and where neither has a gain', () => {
    expect(attemptSign(task, 2, 2.28)).toBe(0);
    expect(attemptSign(task, 2, 2.29)).toBe(1);
    expect(attemptSign(task, 2.29, 2)).toBe(-1);
    expect(attemptSign(task, null, null)).toBe(0);
    expect(attemptSign(task, 0.5, null)).toBe(0);
    expect(attemptSign({ ...task, standardError: null }, 2, 2.01)).toBe(1);
    expect(attemptSign({ ...task, baseline: null, standardError: null }, null, 2)).toBe(1);
    expect(attemptSign({ ...task, direction: 'minimize' }, 0.5, 0)).toBe(1);
  });
});
