import { describe, expect, it } from 'vitest';
import { compareDrafting, compareExpansion, comparePolicies, simulated } from '../../../../benchmarks/tree/simulate.js';
import { WORLDS } from '../../../../benchmarks/tree/world.js';
import { searchSchema } from '../../../../domain/tree/spec.js';
import { LONG } from '../../../setup/long.js';

describe('simulated search', () => {
  it('finds more than one line of as many nodes, where approaches differ and nodes fail', () => {
    const figures = comparePolicies(WORLDS.rugged!, ['greedy', 'mcts', 'evolution'], { nodes: 30, seeds: 200 });
    for (const { policy, gainInErrors } of figures) expect([policy, gainInErrors >= 3]).toEqual([policy, true]);
  });
  it('finds a little more with drafts that know of each other, and less with equal ones', () => {
    const worlds = LONG ? Object.values(WORLDS) : [WORLDS.rugged!];
    const rows = worlds.flatMap((world) => compareDrafting(world, ['mcts', 'evolution'], { nodes: 30, seeds: 200 }));
    const gainOf = (how: string): number =>
      rows.filter(({ drafts }) => drafts === how).reduce((sum, { gain }) => sum + gain, 0);
    expect(gainOf('blind')).toBe(0);
    expect(gainOf('informed')).toBeGreaterThan(0);
    for (const { drafts, gainInErrors } of rows) if (drafts === 'zero') expect(gainInErrors).toBeLessThan(-1.9);
  });
  it('takes less time without waves, and finds as much', () => {
    const rows = compareExpansion(WORLDS.rugged!, ['greedy', 'mcts', 'evolution'], { nodes: 30, seeds: 100 });
    for (let nth = 0; nth < rows.length; nth += 2) {
      const [waves, steady] = [rows[nth]!, rows[nth + 1]!];
      expect([steady.policy, steady.time < 0.85 * waves.time]).toEqual([waves.policy, true]);
      expect(Math.abs(steady.mean - waves.mean)).toBeLessThan(4 * waves.standardError);
    }
  });
  it('comes near the optimum of a world without failures or noise', () => {
    const kind = { ...WORLDS.smooth!, fails: 0, noise: 0, improves: { probability: 1, most: 0.5 } };
    expect(simulated(kind, searchSchema.parse({ policy: 'greedy', nodes: 60 }), 1).quality).toBeGreaterThan(0.99);
  });
  it('has nothing to show where every node fails', () => {
    const hopeless = { ...WORLDS.rugged!, fails: 1, repairs: 0 };
    expect(simulated(hopeless, searchSchema.parse({ policy: 'mcts' }), 1)).toMatchObject({ quality: 0 });
  });
});
