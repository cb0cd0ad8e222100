import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hostsOffering, type HostsPorts } from '../../../../operations/batches/hosts-offering.js';

const START = Date.parse('2026-01-01T12:00:00Z');
beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => vi.useRealTimers());

interface Looks {
  hostId: string;
  /** Seconds after the start of each registration, and whether the engine was found. */
  looks: [number, boolean][];
}

const host = (hostId: string, ...looks: Looks['looks']): Looks => ({ hostId, looks });

/** What is returned, and after how many seconds. */
async function asked(...hosts: Looks[]) {
  const told: string[] = [];
  const now = () =>
    hosts.map(({ hostId, looks }) => {
      const [at, found] = looks.findLast(([seconds]) => START + seconds * 1000 <= Date.now())!;
      const seenAt = new Date(START + at * 1000).toISOString();
      return { hostId, seenAt, backends: found ? ['docker', 'local'] : ['local'] };
    });
  const ports = {
    queries: { hosts: async () => now() },
    notify: ({ line }: { line: string }) => told.push(line),
  } as unknown as HostsPorts;
  const returned = hostsOffering(ports, 'docker');
  await vi.runAllTimersAsync();
  const names = (await returned).map(({ hostId, backends }) => `${hostId}: ${backends.join(' ')}`);
  return { names, seconds: Math.round((Date.now() - START) / 1000), told: told.length };
}

it('nothing is waited for where one offers the backend, or none is up', async () => {
  const one = host('one', [-5, false]);
  expect(await asked(one, host('two', [-5, true]))).toMatchObject({ seconds: 0, told: 0 });
  expect(await asked()).toEqual({ names: [], seconds: 0, told: 0 });
  expect(await asked(host('away', [-600, false]))).toMatchObject({ seconds: 0, told: 0 });
});

it('a worker that has looked before the engine answered looks anew, and one suffices', async () => {
  const finds = host('finds', [-5, false], [5, true]);
  const late = host('late', [-1, false], [9, false]);
  expect(await asked(finds, late)).toEqual({ names: ['finds: docker local', 'late: local'], seconds: 5, told: 1 });
});

it('all have looked anew and none has found it: that is what they offer', async () => {
  const one = host('one', [-5, false], [5, false]);
  const two = host('two', [-1, false], [9, false]);
  expect(await asked(one, two)).toEqual({ names: ['one: local', 'two: local'], seconds: 9, told: 1 });
});

it('one that does not look anew within a minute refuses nothing', async () => {
  const hangs = host('hangs', [-5, false]);
  expect(await asked(hangs)).toMatchObject({ names: [] });
});
