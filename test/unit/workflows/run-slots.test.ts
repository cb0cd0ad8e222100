import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../setup/random.js';
import { createSlots, giveBack, grant, nextGrant, shardClosed, slotsPerReturn } from '../../../workflows/run-slots.js';

describe('the slots of a batch', () => {
  it('go to the first shard, then to the next when that has none to start', () => {
    const slots = createSlots(4);
    expect(nextGrant(slots, [0, 1])).toEqual({ shard: 0, slots: 4, start: true });
    grant(slots, 0, 4);
    expect(nextGrant(slots, [1])).toBeNull();
    giveBack(slots, 0, 3);
    expect(nextGrant(slots, [1])).toEqual({ shard: 1, slots: 3, start: true });
    grant(slots, 1, 3);
    giveBack(slots, 0, 1);
    expect(nextGrant(slots, [])).toEqual({ shard: 1, slots: 1, start: false });
  });

  it('of a shard that closed are free again, those that it gave back only once', () => {
    const slots = createSlots(4);
    grant(slots, 0, 4);
    giveBack(slots, 0, 1);
    shardClosed(slots, 0);
    giveBack(slots, 0, 3);
    expect(slots.free).toBe(4);
  });

  it('are never more than the window, whatever a shard of an earlier start gives back', () => {
    const slots = createSlots(4);
    grant(slots, 0, 4);
    giveBack(slots, 0, 9);
    expect(slots.free).toBe(4);
  });

  it('a narrower window is reached as runs end', () => {
    const slots = createSlots(4);
    grant(slots, 0, 4);
    slots.free -= 3;
    giveBack(slots, 0, 3);
    expect(nextGrant(slots, [1])).toBeNull();
    giveBack(slots, 0, 1);
    expect(nextGrant(slots, [1])).toEqual({ shard: 1, slots: 1, start: true });
  });

  it('are kept in sum through any order of events', () => {
    const random = seededRandom(7);
    const slots = createSlots(10);
    for (let i = 0; i < 5000; i += 1) {
      const next = nextGrant(slots, [Math.floor(random() * 50)]);
      if (next !== null && random() < 0.5) grant(slots, next.shard, next.slots);
      const known = [...slots.shards.keys()];
      const shard = known[Math.floor(random() * known.length)] ?? 0;
      if (random() < 0.5) giveBack(slots, shard, Math.floor(random() * 6));
      if (random() < 0.1) shardClosed(slots, shard);
      expect([...slots.shards.values()].reduce((sum, { held }) => sum + held, slots.free)).toBe(10);
    }
  });

  it.each([
    [1, 1],
    [16, 1],
    [64, 4],
    [1000, 62],
  ])('a window of %i is returned by %i', (window, many) => {
    expect(slotsPerReturn(window)).toBe(many);
  });
});
