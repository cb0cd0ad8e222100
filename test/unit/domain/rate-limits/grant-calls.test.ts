import { describe, expect, it } from 'vitest';
import { newAccount, type RateLimits } from '../../../../domain/rate-limits/account-state.js';
import { grantedPerMinute } from '../../../../domain/rate-limits/buckets.js';
import { declare } from '../../../../domain/rate-limits/declared.js';
import { cancelGrant, chargeFor, grantCalls, settle } from '../../../../domain/rate-limits/grant-calls.js';
import { countPassed, refused, statedLimits } from '../../../../domain/rate-limits/learned-limit.js';

const MINUTE = 60_000;
const NONE: RateLimits = { requests: null, tokens: null };
const call = (
  ticket: string,
  more: { batchId?: string; tokens?: number; priority?: number; arrivedAt?: number } = {},
) => ({
  ...{ ticket, batchId: 'b', priority: 3, tokens: 1000, arrivedAt: 0 },
  ...more,
});
const calls = (n: number, batchId = 'b') =>
  Array.from({ length: n }, (_, index) => call(`${batchId}-${index}`, { batchId, arrivedAt: index }));
const names = ({ granted }: { granted: { ticket: string }[] }): string[] => granted.map(({ ticket }) => ticket);

describe('grants', () => {
  it('are given to all while nothing limits the account', () => {
    expect(grantCalls(newAccount(0), calls(100), NONE, 0, MINUTE).granted).toHaveLength(100);
  });

  it('never exceed a limit within any minute', () => {
    const state = newAccount(0);
    const at: number[] = [];
    for (let now = 0; now < 5 * MINUTE; now += 137)
      at.push(...grantCalls(state, calls(10), { requests: 60, tokens: null }, now, MINUTE).granted.map(() => now));
    const most = Math.max(...at.map((start) => at.filter((one) => one >= start && one < start + MINUTE).length));
    expect(most).toBeLessThanOrEqual(60);
    expect(at.length).toBeGreaterThan(5 * 57);
  });

  it('take turns between batches by what their calls cost, first come within a batch', () => {
    const state = newAccount(0);
    const waiting = [...calls(6, 'many'), call('late', { batchId: 'few', arrivedAt: 99 })];
    const order: string[] = [];
    for (let now = 0; order.length < 4; now += 1000) {
      const rest = waiting.filter(({ ticket }) => !order.includes(ticket));
      order.push(...names(grantCalls(state, rest, { requests: 60, tokens: null }, now, MINUTE)));
    }
    expect(order.slice(0, 3)).toEqual(['many-0', 'late', 'many-1']);
  });

  it('say when the others may expect theirs', () => {
    const { granted, expected } = grantCalls(newAccount(0), calls(4), { requests: 60, tokens: null }, MINUTE, MINUTE);
    expect(granted).toHaveLength(1);
    const waits = [...expected.values()];
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBeLessThan(5000);
  });

  it('charge calls what they have come to lately, and give back what was too much', () => {
    const state = newAccount(0);
    const set = { requests: null, tokens: 60_000 };
    const [one] = grantCalls(state, [call('large', { tokens: 20_000 })], set, 0, MINUTE).granted;
    expect(one?.charged).toBe(20_000);
    expect(grantCalls(state, [call('next')], set, 5000, MINUTE).granted).toEqual([]);
    settle(state, { estimate: 20_000, charged: 20_000, used: 2000, grantedAt: 0 }, set);
    expect(names(grantCalls(state, [call('next')], set, 5000, MINUTE))).toEqual(['next']);
    expect(chargeFor(state, 20_000)).toBeLessThan(10_000);
  });

  it('teach how long calls come to, whose charge the bucket has long made up for: nothing is given back', () => {
    const state = newAccount(0);
    const set = { requests: null, tokens: 60_000 };
    const grant = (ticket: string, now: number) =>
      names(grantCalls(state, [call(ticket, { tokens: 20_000 })], set, now, MINUTE));
    expect(grant('slow', 0)).toEqual(['slow']);
    expect(grant('next', 5 * MINUTE)).toEqual(['next']);
    const before = state.level.tokens;
    settle(state, { estimate: 20_000, charged: 20_000, used: 2000, grantedAt: 0 }, set);
    expect(state.level.tokens).toBe(before);
    expect(chargeFor(state, 20_000)).toBeLessThan(10_000);
    // Of that one the bucket is still in debt.
    settle(state, { estimate: 20_000, charged: 20_000, used: 2000, grantedAt: 5 * MINUTE }, set);
    expect(state.level.tokens).toBeGreaterThan(before);
  });

  it('of calls that were not made leave no trace in the buckets', () => {
    const state = newAccount(0);
    const set = { requests: 60, tokens: 60_000 };
    const [one] = grantCalls(state, [call('a')], set, MINUTE, MINUTE).granted;
    const before = { ...state.level };
    cancelGrant(state, { charged: one?.charged ?? 0, grantedAt: MINUTE }, set, false);
    expect(state.level.requests).toBeCloseTo(before.requests + 1);
    expect(state.level.tokens).toBeCloseTo(before.tokens + 1000);
  });
});

describe('declared limits', () => {
  it('are the lowest that calls of the last minute declared', () => {
    const state = newAccount(0);
    declare(state, { requests: 50, tokens: null }, 0, MINUTE);
    declare(state, { requests: 80, tokens: null }, 1000, MINUTE);
    expect(state.declared.requests?.limit).toBe(50);
    declare(state, { requests: 80, tokens: null }, MINUTE + 1, MINUTE);
    expect(state.declared.requests?.limit).toBe(80);
    declare(state, NONE, 3 * MINUTE, MINUTE);
    expect(grantedPerMinute(state, NONE)).toEqual(NONE);
  });
});

describe('a refusal', () => {
  const passed = [
    { at: 1000, requests: 1, tokens: 500, refused: 0 },
    { at: 50_000, requests: 100, tokens: 50_000, refused: 0 },
  ];
  /** Calls granted at the time, of which so many were refused. */
  const among = (refusedCalls: number, requests = 0) => [
    ...passed,
    { at: MINUTE - 1, requests, tokens: 500 * requests, refused: refusedCalls },
  ];
  const recent = among(6);

  it('that stands alone, or among many calls that passed, holds only its own call', () => {
    const state = newAccount(0);
    const refusal = { grantedAt: MINUTE, dimension: 'requests' as const, retryAfterMs: 7000 };
    expect(refused(state, refusal, NONE, among(1), MINUTE, MINUTE)).toEqual([]);
    expect(refused(state, refusal, NONE, among(6, 40), MINUTE, MINUTE)).toEqual([]);
    expect(state.learned.requests).toBeNull();
    expect(grantCalls(state, calls(3), NONE, MINUTE + 1, MINUTE).granted).toHaveLength(3);
  });

  it('is believed at once when the provider says that the limit is used up', () => {
    const state = newAccount(0);
    const refusal = { grantedAt: MINUTE, dimension: 'requests' as const, exhausted: true };
    expect(refused(state, refusal, NONE, among(1), MINUTE, MINUTE)).toEqual(['requests']);
  });

  it('that follows others cuts the limit to what passed in the last minute, and holds all calls for as long as the provider wants', () => {
    const state = newAccount(0);
    const refusal = { grantedAt: MINUTE, dimension: 'requests' as const, retryAfterMs: 7000 };
    expect(refused(state, refusal, NONE, recent, MINUTE, MINUTE)).toEqual(['requests']);
    expect(state.learned.requests?.limit).toBeGreaterThan(90);
    expect(state.learned.requests?.limit).toBeLessThan(101);
    expect(state.learned.tokens).toBeNull();
    expect(grantCalls(state, calls(3), NONE, MINUTE + 6999, MINUTE).granted).toEqual([]);
    expect(grantCalls(state, calls(3), NONE, MINUTE + 9000, MINUTE).granted.length).toBeGreaterThan(0);
  });

  it('of a young account is not taken for a whole minute of its calls', () => {
    const state = newAccount(0);
    const young = [
      { at: 58_000, requests: 5, tokens: 2500, refused: 0 },
      { at: MINUTE - 1, requests: 0, tokens: 0, refused: 6 },
    ];
    refused(state, { grantedAt: MINUTE, dimension: 'requests' }, NONE, young, MINUTE, MINUTE);
    expect(state.learned.requests?.limit).toBeGreaterThan(25);
  });

  it('of a known limit that calls came nowhere near cuts nothing', () => {
    const state = newAccount(0);
    refused(state, { grantedAt: MINUTE, dimension: 'requests' }, NONE, recent, MINUTE, MINUTE);
    const { limit } = state.learned.requests ?? { limit: 0 };
    const few = [{ at: 5 * MINUTE - 30_000, requests: 3, tokens: 1500, refused: 1 }];
    const later = { grantedAt: 5 * MINUTE, dimension: 'requests' as const };
    expect(refused(state, later, { requests: limit, tokens: null }, few, 5 * MINUTE, MINUTE)).toEqual([]);
    expect(state.learned.requests?.limit).toBe(limit);
  });

  it('after which cuts change nothing ends what was learned: calls are refused by chance', () => {
    const state = newAccount(0);
    const refusal = (grantedAt: number) => ({ grantedAt, dimension: 'requests' as const });
    refused(state, refusal(MINUTE), NONE, recent, MINUTE, MINUTE);
    let now = MINUTE;
    for (let more = 0; more < 20 && state.learned.requests !== null; more++) {
      const limits = { requests: state.learned.requests.limit, tokens: null };
      const some = [
        { at: now + 1000, requests: 30, tokens: 15_000, refused: 0 },
        { at: now + 9000, requests: 0, tokens: 0, refused: 1 },
      ];
      refused(state, refusal(now + 9000), limits, some, now + 9000, MINUTE);
      now += 9000;
    }
    expect(grantedPerMinute(state, NONE)).toEqual(NONE);
    expect(grantCalls(state, calls(50), NONE, now, MINUTE).granted).toHaveLength(50);
  });

  it('is measured by what passed since the last one, and by what could have while nobody waited', () => {
    const state = newAccount(0);
    refused(state, { grantedAt: MINUTE, dimension: 'requests' }, NONE, recent, MINUTE, MINUTE);
    const learned = state.learned.requests;
    const before = learned?.limit ?? 0;
    const pass = (from: number, minutes: number, perMinute: number) => {
      for (let now = from; now < from + minutes * MINUTE; now += MINUTE / perMinute)
        grantCalls(state, calls(1), NONE, now, MINUTE);
    };
    // Next to nothing for an hour, then all that is granted: the hour says nothing of the limit.
    pass(2 * MINUTE, 60, 2);
    const again = 62 * MINUTE;
    const some = [{ at: again - 5000, requests: 30, tokens: 15_000, refused: 0 }];
    const limits = grantedPerMinute(state, NONE);
    expect(refused(state, { grantedAt: again, dimension: 'requests' }, limits, some, again, MINUTE)).toEqual([
      'requests',
    ]);
    expect(state.learned.requests?.limit).toBeGreaterThan(0.85 * before);
    // Half as much as was granted passes until the next one: that is the limit now.
    const passed = [...some, { at: again + 25_000, requests: 24, tokens: 12_000, refused: 0 }];
    countPassed(state, { requests: 24, tokens: 12_000 }, again + 25_000);
    const next = again + MINUTE / 2;
    const refusal = { grantedAt: next, dimension: 'requests' as const };
    refused(state, refusal, grantedPerMinute(state, NONE), passed, next, MINUTE);
    expect(state.learned.requests?.peak).toBeCloseTo(48);
    expect(state.learned.requests?.limit).toBeLessThan(48);
  });

  it('is followed by a longer rest before more is tried, the more calls were refused', () => {
    const restAfter = (refusals: number): number => {
      const state = newAccount(0);
      refused(state, { grantedAt: MINUTE, dimension: 'requests' }, NONE, recent, MINUTE, MINUTE);
      const learned = state.learned.requests;
      if (learned === null) throw new Error('nothing learned');
      learned.unsure = false;
      // Under way at the cut.
      for (let one = 0; one < refusals; one++)
        refused(state, { grantedAt: MINUTE - 1, dimension: 'requests' }, NONE, recent, MINUTE, MINUTE);
      const limit = learned.limit;
      let now = MINUTE;
      while (learned.limit <= limit && now < 9 * MINUTE) grantCalls(state, calls(9), NONE, (now += 250), MINUTE);
      return now - MINUTE;
    };
    expect(restAfter(0)).toBeLessThan(MINUTE / 2);
    expect(restAfter(1)).toBeGreaterThan(MINUTE);
    expect(restAfter(1000)).toBeLessThan(3 * MINUTE);
  });

  it('of a call that was under way at the cut cuts nothing more', () => {
    const state = newAccount(0);
    const refusal = { grantedAt: MINUTE - 1, dimension: null };
    expect(refused(state, refusal, NONE, recent, MINUTE, MINUTE)).toEqual(['requests', 'tokens']);
    const { limit } = state.learned.requests ?? { limit: 0 };
    expect(refused(state, refusal, NONE, recent, MINUTE + 50, MINUTE)).toEqual([]);
    expect(state.learned.requests?.limit).toBe(limit);
  });

  it('lets a limit that the provider states bound what is learned, and a changed one replace it', () => {
    const state = newAccount(0);
    statedLimits(state, { requests: 50, tokens: null });
    refused(state, { grantedAt: MINUTE, dimension: 'requests' }, NONE, recent, MINUTE, MINUTE);
    expect(state.learned.requests?.limit).toBe(48.5);
    statedLimits(state, { requests: 200, tokens: null });
    expect(state.learned.requests?.limit).toBe(194);
  });
});
