import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { newRunId } from '../../domain/ids.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { oneRun, SUBMITTED } from '../fixtures/rows.js';

let server: TestPostgres;
let db: Database;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 10 });
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

let serial = 0;
async function host(slots: number): Promise<string> {
  const hostId = `h-${++serial}`;
  await db.store.registerHost({ hostId, hostname: 'h', cpus: 1, memoryMb: 1, gpus: [], backends: [], slots });
  return hostId;
}
async function stand(hostId: string, key: string, most = 10): Promise<string | null> {
  const runId = newRunId();
  if (!(await db.store.beginWarm({ runId, hostId, key, most }))) return null;
  await db.store.warmIsReady(runId);
  return runId;
}

describe('sandboxes that are started ahead', () => {
  it('are claimed once each, however many ask at once', async () => {
    const hostId = await host(64);
    const ready = new Set<string | null>();
    for (let n = 0; n < 5; n++) ready.add(await stand(hostId, 'once'));
    const claimed = await Promise.all(Array.from({ length: 12 }, () => db.store.claimWarm('once')));
    expect(new Set(claimed.filter((id) => id !== null))).toEqual(ready);
    expect(claimed.filter((id) => id !== null)).toHaveLength(5);
  });

  it('are claimed by their own key alone, and only when they stand', async () => {
    const hostId = await host(64);
    const runId = newRunId();
    await db.store.beginWarm({ runId, hostId, key: 'mine', most: 2 });
    expect(await db.store.claimWarm('mine')).toBeNull();
    await db.store.warmIsReady(runId);
    expect(await db.store.claimWarm('yours')).toBeNull();
    expect(await db.store.claimWarm('mine')).toBe(runId);
  });

  it('are bounded by kind, and by the slots that runs leave free', async () => {
    const hostId = await host(3);
    expect(await stand(hostId, 'a', 2)).not.toBeNull();
    expect(await stand(hostId, 'a', 2)).not.toBeNull();
    expect(await stand(hostId, 'a', 2)).toBeNull();
    expect(await stand(hostId, 'b', 2)).not.toBeNull();
    expect(await stand(hostId, 'c', 2)).toBeNull();
    // A claimed one is a run's, which takes a slot by itself once it has begun.
    await db.store.claimWarm('a');
    expect(await stand(hostId, 'c', 2)).not.toBeNull();
  });

  it('are no leftovers before their runs exist, and are when they are forgotten', async () => {
    const hostId = await host(64);
    const runId = (await stand(hostId, 'left')) ?? '';
    const claimed = (await stand(hostId, 'taken')) ?? '';
    await db.store.claimWarm('taken');
    expect(await db.store.runStates([runId, claimed])).toEqual(
      new Map([
        [runId, { ended: false, epoch: 1 }],
        [claimed, { ended: false, epoch: 1 }],
      ]),
    );
    expect(await db.store.forgetWarm(hostId, ['left'])).toEqual([]);
    expect(await db.store.forgetWarm(hostId, [])).toEqual([runId]);
    expect(await db.store.runStates([runId, claimed])).toEqual(new Map([[claimed, { ended: false, epoch: 1 }]]));
  });

  it('are taken back from runs that ended before they began, a few at a time and once each', async () => {
    const hostId = await host(64);
    const [unbegun, begun, open] = [await oneRun(db), await oneRun(db), await oneRun(db)];
    for (const { runId } of [unbegun, begun, open]) {
      await db.store.beginWarm({ runId, hostId, key: runId, most: 1 });
      await db.store.warmIsReady(runId);
      expect(await db.store.claimWarm(runId)).toBe(runId);
    }
    const at = { hostId, epoch: 1, isolation: 'container' as const, imageDigest: null, workspace: '/w' };
    await db.store.sandboxStarted(begun.runId, at);
    await db.store.finishRun(begun.runId, SUBMITTED);
    expect(await db.store.takeUnbegunWarm(hostId, 4)).toEqual([]);
    await db.store.finishRun(unbegun.runId, SUBMITTED);
    expect(await db.store.takeUnbegunWarm('another', 4)).toEqual([]);
    expect(await db.store.takeUnbegunWarm(hostId, 0)).toEqual([]);
    const { backend } = await db.store.definition(unbegun.runId);
    expect(await db.store.takeUnbegunWarm(hostId, 4)).toEqual([{ runId: unbegun.runId, backend }]);
    expect(await db.store.takeUnbegunWarm(hostId, 4)).toEqual([]);
  });

  it('are wanted for as long as episodes begin', async () => {
    const { runId } = await oneRun(db);
    await db.store.requestWarm('request', runId);
    await db.store.requestWarm('request', runId);
    const hostId = await host(64);
    expect(await db.store.warmDemand(hostId, 60)).toEqual({ requests: [{ key: 'request', runId }], registered: false });
    expect(await db.store.warmDemand(hostId, 0)).toEqual({ requests: [], registered: false });
    await stand(hostId, 'request');
    expect(await db.store.warmDemand(hostId, 0)).toEqual({ requests: [], registered: true });
  });
});
