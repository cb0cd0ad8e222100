import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GatewaySession, type SessionParts } from '../../../gateway/session.js';

const session = (): GatewaySession => new GatewaySession({ program: { callsInFlight: 4 } } as SessionParts);

it('waits at the same time count once, from the first that begins to the last that ends', async () => {
  const gateway = session();
  const before = performance.now();
  const waits = [30, 60, 90].map((ms) => gateway.waits(sleep(ms)));
  await waits[0];
  const during = gateway.waited.seconds;
  await Promise.all(waits);
  const elapsed = (performance.now() - before) / 1000;
  const { source, seconds } = gateway.waited;
  expect(during).toBeGreaterThan(0.02);
  expect(seconds).toBeGreaterThan(0.08);
  // Counted each for itself, they would be twice as much.
  expect(seconds).toBeLessThanOrEqual(elapsed);
  await sleep(20);
  expect(gateway.waited).toEqual({ source, seconds, still: false });
});

it('nothing counts while another call is answered', async () => {
  const gateway = session();
  const leave = [gateway.enter(), gateway.enter()];
  const wait = gateway.waits(sleep(40));
  await sleep(20);
  expect(gateway.waited).toMatchObject({ seconds: 0, still: false });
  leave[0]!();
  expect(gateway.waited.still).toBe(true);
  await wait;
  const { seconds, still } = gateway.waited;
  expect(seconds).toBeGreaterThan(0);
  expect(still).toBe(false);
  leave[1]!();
});

it('a wait that fails counts, and its failure is passed on', async () => {
  const gateway = session();
  await expect(gateway.waits(sleep(20).then(() => Promise.reject(new Error('no turn'))))).rejects.toThrow('no turn');
  expect(gateway.waited.seconds).toBeGreaterThan(0.01);
  await sleep(10);
  const { seconds } = gateway.waited;
  await sleep(10);
  expect(gateway.waited.seconds).toBe(seconds);
});

it('each session has a count of its own, which starts at nothing', () => {
  const [one, other] = [session().waited, session().waited];
  expect([one.seconds, other.seconds]).toEqual([0, 0]);
  expect(one.source).not.toBe(other.source);
});
