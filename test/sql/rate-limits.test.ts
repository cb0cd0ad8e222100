import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRateGovernor } from '../../models/rate-governor.js';
import { type Database, openDatabase } from '../../db/index.js';
import type { RateExchange, RateTicket } from '../../domain/ports/rate-store.js';
import { SimulatedLimiter } from '../fakes/simulated-limiter.js';
import { LONG } from '../setup/long.js';
import { startProviderSimulator } from '../fakes/provider-simulator/index.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let url: string;
let db: Database;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url, { max: 8 });
});
afterAll(async () => {
  await db.close();
});

const MINUTE = 60_000;
const ticketOf = (ticket: string, more: Partial<RateTicket> = {}): RateTicket => ({
  ...{ ticket, batchId: 'b', tokens: 100, declared: { requests: null, tokens: null } },
  ...more,
});
const ask = (account: string, arrivals: RateTicket[], more: Partial<RateExchange> = {}) =>
  db.rates.exchange(
    {
      ...{ account, provider: 'openai', arrivals, attending: arrivals.map(({ ticket }) => ticket) },
      ...{ reports: [], parked: [], ...more },
    },
    MINUTE,
  );
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('not met in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const accountRow = async (account: string) => (await db.rateControl.accounts()).find((row) => row.account === account);
/** One at once, the next in half a minute. */
const declared = { requests: 2, tokens: null };

describe('grants of calls to a provider account', () => {
  test('are given at once while nothing limits the account', async () => {
    const tickets = Array.from({ length: 50 }, (_, index) => ticketOf(`free-${index}`));
    expect((await ask('free', tickets)).granted).toHaveLength(50);
    expect(await accountRow('free')).toMatchObject({ waiting: 0, effective: { requests: null, tokens: null } });
  });

  test('are shared by workers: what one was granted, another is not', async () => {
    const { granted } = await ask('shared', [ticketOf('one', { declared }), ticketOf('two', { declared })]);
    expect(granted).toEqual(['one']);
    const other = await ask('shared', [ticketOf('three', { declared })]);
    expect(other.granted).toEqual([]);
    expect(other.expected[0]?.ms).toBeGreaterThan(0);
    expect(await accountRow('shared')).toMatchObject({ waiting: 2, declared, lastMinute: { requests: 1 } });
  });

  test('a call that comes again after its worker died keeps its place, and its lost grant counts', async () => {
    await ask('died', [
      ticketOf('first', { declared }),
      ticketOf('second', { declared }),
      ticketOf('third', { declared }),
    ]);
    // `first` was granted, but whoever asked for it is gone.
    const again = await ask('died', [ticketOf('first', { declared })]);
    expect(again.granted).toEqual([]);
    expect(await accountRow('died')).toMatchObject({ waiting: 3, lastMinute: { requests: 1 } });
  });

  test('what a slow call came to is learned though it ends minutes after its grant; what ended is soon forgotten', async () => {
    const minuteMs = 2000;
    const slow = (arrivals: RateTicket[], more: Partial<RateExchange> = {}) =>
      db.rates.exchange(
        {
          ...{ account: 'reasons', provider: 'openai', arrivals, attending: arrivals.map(({ ticket }) => ticket) },
          ...{ reports: [], parked: [], ...more },
        },
        minuteMs,
      );
    const tickets = async () =>
      (await db.pool.query<{ ticket: string }>(`select ticket from rate_tickets where account = 'reasons' order by 1`))
        .rows;
    const settled = (ticket: string) => ({ ticket, kind: 'settled' as const, tokens: 10 });
    await slow([ticketOf('long'), ticketOf('short')]);
    await slow([], { reports: [settled('short')] });
    // Forgotten after two minutes, as `short` is.
    await until(async () => {
      await slow([]);
      return (await tickets()).every(({ ticket }) => ticket !== 'short');
    });
    expect(await tickets()).toEqual([{ ticket: 'long' }]);
    const usage = async () =>
      (
        await db.pool.query<{ mean: number }>(
          `select (state #>> '{usage,mean}')::float8 as mean from rate_accounts where account = 'reasons'`,
        )
      ).rows[0]?.mean;
    // Another ratio than the one that is known.
    const before = await usage();
    await slow([], { reports: [{ ...settled('long'), tokens: 50 }] });
    expect(before).toBeCloseTo(0.1);
    expect(await usage()).toBeGreaterThan(0.1);
    await slow([]);
    expect(await tickets()).toEqual([]);
  });

  test('a refusal is learned, told in an event and counted, and reset forgets it', async () => {
    const tickets = Array.from({ length: 20 }, (_, index) => ticketOf(`call-${index}`));
    await ask('learns', tickets);
    const limited = tickets.slice(5).map(({ ticket }) => ({
      ticket,
      kind: 'limited' as const,
      dimension: 'requests' as const,
      retryAfterMs: 30_000,
    }));
    await ask('learns', [], { reports: limited });
    const row = await accountRow('learns');
    expect(row?.learned.requests).toBeGreaterThan(0);
    expect(row).toMatchObject({ refusedLastHour: 15, learned: { tokens: null }, lastMinute: { requests: 5 } });
    expect(row?.blockedUntil).not.toBeNull();
    expect((await ask('learns', [ticketOf('later')])).granted).toEqual([]);
    const events = await db.queries.events({ kinds: ['rate_limit_learned'] });
    expect(events.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('learns refused a call because of its rate'),
    ]);

    await db.rateControl.reset('learns');
    expect((await ask('learns', [ticketOf('later')])).granted).toEqual(['later']);
    await db.rateControl.set('learns', { requests: 7, tokens: null });
    expect(await accountRow('learns')).toMatchObject({ set: { requests: 7, tokens: null } });
    await expect(db.rateControl.set('nobody', { requests: 1, tokens: null })).rejects.toMatchObject({
      type: 'not_found',
      remedy: expect.stringContaining('learns') as string,
    });
  });

  test('refusals among many calls that pass hold nobody else, and are counted', async () => {
    const tickets = Array.from({ length: 60 }, (_, index) => ticketOf(`stray-${index}`));
    await ask('stray', tickets);
    const limited = tickets.filter((_, index) => index % 10 === 0);
    const kind = 'limited' as const;
    const reports = limited.map(({ ticket }) => ({ ticket, kind, dimension: null, retryAfterMs: 30_000 }));
    expect((await ask('stray', [ticketOf('later')], { reports })).granted).toEqual(['later']);
    expect(await accountRow('stray')).toMatchObject({ refusedLastHour: 6, learned: { requests: null, tokens: null } });
  });

  test('a call that is given up while it waits leaves the queue, one that waits long is sent back to its workflow', async () => {
    const governor = createRateGovernor(db.rates, { minuteMs: 3000 });
    const stop = new AbortController();
    const slow = { account: 'slow', provider: 'openai', ...ticketOf('x', { declared: { requests: 1, tokens: null } }) };
    expect((await governor.acquire({ ...slow, ticket: 'first' }, stop.signal)).kind).toBe('granted');
    const waits = await governor.acquire({ ...slow, ticket: 'second' }, stop.signal);
    expect(waits).toMatchObject({ kind: 'wait' });
    const given = governor.acquire({ ...slow, declared: { requests: 1, tokens: null }, ticket: 'third' }, stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(given).rejects.toThrow('cancelled');
    await governor.flush();
    expect((await accountRow('slow'))?.waiting).toBe(1);
  });

  test('200 calls that wait cost a transaction of bounded length', async () => {
    const tickets = Array.from({ length: 200 }, (_, index) =>
      ticketOf(`w-${index}`, { declared, batchId: `b${index % 4}` }),
    );
    await ask('crowd', tickets);
    const times: number[] = [];
    for (let round = 0; round < 40; round++) {
      const started = performance.now();
      await ask('crowd', [], { attending: tickets.map(({ ticket }) => ticket) });
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    console.info(`exchange with 200 waiting: p50 ${times[20]?.toFixed(1)} ms, p95 ${times[38]?.toFixed(1)} ms`);
    expect((await accountRow('crowd'))?.waiting).toBeGreaterThan(190);
  });
});

const MINUTE_MS = 15_000;
const CALLERS = { big: 12, small: 4 };
/** Requests a minute, and for how many minutes. */
const PHASES = [
  [300, 5],
  [150, 5],
  [400, 5],
  [200, 5],
] as const;

// Throughput in real time: a machine that is busy with other tests would be what it measures.
test.runIf(LONG)(
  'three workers find out what a provider with changing limits allows, and share it fairly between batches',
  async () => {
    const limiter = new SimulatedLimiter('bucket of a minute', MINUTE_MS, { requests: PHASES[0][0], tokens: 1e9 });
    const began = performance.now();
    let open = false;
    let onFirst = (): void => undefined;
    const counts = { passed: 0, refused: 0, byBatch: {} as Record<string, number> };
    const simulator = await startProviderSimulator({
      behaviour: async (request) => {
        onFirst();
        const verdict = limiter.ask(performance.now() - began, 100);
        if (!verdict.ok) {
          if (open) counts.refused += 1;
          return { kind: 'rate_limit', retryAfter: String(verdict.retryAfterMs / 1000) };
        }
        const batch = request.messages[0]?.content ?? '';
        if (open) {
          counts.passed += 1;
          counts.byBatch[batch] = (counts.byBatch[batch] ?? 0) + 1;
        }
        await new Promise((resolve) => setTimeout(resolve, MINUTE_MS / 40));
        return { kind: 'reply', text: 'hello' };
      },
    });
    const script = fileURLToPath(new URL('rate-limited-worker.ts', import.meta.url));
    const workers = ['w1', 'w2', 'w3'].map((name) => {
      const settings = {
        databaseUrl: url,
        baseUrl: simulator.openAiBaseUrl,
        minuteMs: MINUTE_MS,
        name,
        callers: CALLERS,
      };
      return execa('node', ['--import', 'tsx', script, JSON.stringify(settings)]);
    });
    try {
      // Processes take their time to start.
      const started = new Promise<void>((resolve) => (onFirst = resolve));
      await Promise.race([started, ...workers]);
      open = true;
      // The bucket is full in the beginning.
      let allowed: number = PHASES[0][0];
      for (const [requests, minutes] of PHASES) {
        limiter.limits = { requests, tokens: 1e9 };
        const before = performance.now();
        await new Promise((resolve) => setTimeout(resolve, minutes * MINUTE_MS));
        allowed += (requests * (performance.now() - before)) / MINUTE_MS;
      }
      open = false;
      workers.forEach((worker) => worker.stdin.end());
      await Promise.all(workers);
      const throughput = counts.passed / allowed;
      const refusals = counts.refused / (counts.passed + counts.refused);
      console.info(
        `throughput ${(100 * throughput).toFixed(1)} % of ${Math.round(allowed)} allowed, refused ${(100 * refusals).toFixed(2)} %, ${JSON.stringify(counts.byBatch)}`,
      );
      expect(throughput).toBeGreaterThan(0.9);
      expect(refusals).toBeLessThan(0.02);
      // Three times the callers, but turns while both wait; before any limit is learned, no waits.
      expect((counts.byBatch['big'] ?? 0) / (counts.byBatch['small'] ?? 1)).toBeLessThan(2.3);
      expect((await db.queries.events({ kinds: ['rate_limit_learned'] })).length).toBeGreaterThan(1);
    } finally {
      workers.forEach((worker) => worker.kill());
      await Promise.allSettled(workers);
      await simulator.close();
    }
  },
);
