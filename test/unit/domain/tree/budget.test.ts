import { describe, expect, it } from 'vitest';
import { compareUsd } from '../../../../domain/model/price.js';
import { roomIn, type TreeCharges, type TreeLimits } from '../../../../domain/tree/budget.js';
import { addUsd } from '../../../../domain/model/price.js';
import { seededRandom } from '../../../setup/random.js';

const limits: TreeLimits = { nodes: 10, validations: 10, costUsd: '1', tokens: 1000, seconds: 100 };
const none: TreeCharges = { nodes: 0, validations: 0, costUsd: '0', tokens: 0, seconds: 0 };

describe('what a tree has room for', () => {
  it('is shared equally by the nodes that are left', () => {
    expect(roomIn(limits, none)).toEqual({
      nodes: 10,
      share: { costUsd: '0.1', tokens: 100, seconds: 10 },
      stop: null,
    });
    const used = { nodes: 6, validations: 6, costUsd: '0.2', tokens: 200, seconds: 0.5 };
    expect(roomIn(limits, used)).toEqual({ nodes: 4, share: { costUsd: '0.2', tokens: 200, seconds: 24 }, stop: null });
    expect(roomIn({ ...limits, validations: 8 }, used).nodes).toBe(2);
  });

  it.each([
    ['nodes', { nodes: 10 }],
    ['validations', { validations: 10 }],
    ['cost', { costUsd: '1' }],
    ['tokens', { tokens: 995 }],
    ['seconds', { seconds: 95 }],
  ] as const)('is nothing when its %s are used up', (stop, used) => {
    expect(roomIn(limits, { ...none, ...used })).toMatchObject({ nodes: 0, stop });
  });

  it('is only counted in nodes where nothing else is limited', () => {
    const free = { ...limits, costUsd: null, tokens: 0, seconds: 0 };
    const used = { ...none, costUsd: '900', tokens: 1e9, seconds: 1e9 };
    expect(roomIn(free, used)).toEqual({ nodes: 10, share: { costUsd: null, tokens: 0, seconds: 0 }, stop: null });
  });

  it('never adds up to more than the limits, whatever nodes use of their shares and in whichever waves they are played', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seededRandom(seed);
      const used = { ...none };
      for (;;) {
        const { nodes, share, stop } = roomIn(limits, used);
        if (stop !== null) break;
        const wave = 1 + Math.floor(random() * nodes);
        const reserved = Array.from({ length: wave }, () => share.costUsd!);
        expect(compareUsd(addUsd(used.costUsd, ...reserved), limits.costUsd!)).toBeLessThanOrEqual(0);
        expect(used.tokens + wave * share.tokens).toBeLessThanOrEqual(limits.tokens);
        expect(used.seconds + wave * share.seconds).toBeLessThanOrEqual(limits.seconds);
        for (let node = 0; node < wave; node += 1) {
          used.nodes += 1;
          used.validations += random() < 0.7 ? 1 : 0;
          used.costUsd = addUsd(used.costUsd, (Number(share.costUsd) * random()).toFixed(9));
          used.tokens += Math.floor(share.tokens * random());
          used.seconds += share.seconds * random();
        }
      }
    }
  });
});
