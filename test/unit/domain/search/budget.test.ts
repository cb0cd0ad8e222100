import { describe, expect, it } from 'vitest';
import { NOTHING, roomFor, sharesOf, type TreeBudget, type TreeSpending } from '../../../../domain/search/budget.js';
import { addUsd, compareUsd } from '../../../../domain/price.js';
import { randomIndexes } from '../../../../domain/statistics/random-index.js';

const all: TreeBudget = { nodes: 30, validations: 30, steps: 100, seconds: 1000, tokens: 5000, usd: '1' };

describe("a tree's budget", () => {
  it('is shared evenly among the nodes of a wave', () =>
    expect(sharesOf(all, NOTHING, 15, 5)).toEqual({ steps: 15, seconds: 200, tokens: 1000, usd: '0.2' }));
  it('rounds down, so that shares never come to more', () =>
    expect(sharesOf(all, NOTHING, 15, 3)).toEqual({ steps: 15, seconds: 333, tokens: 1666, usd: '0.3333333333' }));
  it('without limits gives none', () =>
    expect(sharesOf({ ...all, seconds: null, tokens: null, usd: null }, NOTHING, 15, 5)).toEqual({
      ...{ steps: 15, seconds: null, tokens: null, usd: null },
    }));
  it.each(['nodes', 'validations', 'steps', 'seconds', 'tokens', 'usd'] as const)(
    'ends the search without %s',
    (part) => {
      expect(roomFor(all, NOTHING, 15)).toBe(6);
      expect(roomFor(all, { ...NOTHING, [part]: all[part] }, 15)).toBe(0);
      expect(roomFor(all, { ...NOTHING, [part]: part === 'usd' ? '2' : 10_000 }, 15)).toBe(0);
    },
  );
  it('gives the last node what steps are left', () => {
    const spent = { ...NOTHING, steps: 91 };
    expect(roomFor(all, spent, 15)).toBe(1);
    expect(sharesOf(all, spent, 15, 1).steps).toBe(9);
  });

  it('is never exceeded, whatever nodes use of their shares, 8 in flight', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const below = randomIndexes(seed);
      let spent: TreeSpending = NOTHING;
      for (let waves = 0; ; waves += 1) {
        const count = Math.min(8, roomFor(all, spent, 7));
        if (count === 0) break;
        const share = sharesOf(all, spent, 7, count);
        expect(share.steps * count + spent.steps).toBeLessThanOrEqual(all.steps);
        for (let node = 0; node < count; node += 1) {
          const part = below(101);
          spent = {
            nodes: spent.nodes + 1,
            validations: spent.validations + below(2),
            steps: spent.steps + Math.floor((share.steps * part) / 100),
            seconds: spent.seconds + (share.seconds! * part) / 100,
            tokens: spent.tokens + Math.floor((share.tokens! * part) / 100),
            usd: addUsd(spent.usd, part === 100 ? share.usd! : '0'),
          };
        }
        expect(waves).toBeLessThan(40);
      }
      for (const part of ['nodes', 'validations', 'steps', 'seconds', 'tokens'] as const)
        expect(spent[part]).toBeLessThanOrEqual(all[part]!);
      expect(compareUsd(spent.usd, all.usd!)).toBeLessThanOrEqual(0);
    }
  });
});
