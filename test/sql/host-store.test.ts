import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../db/index.js';
import type { HostRegistration } from '../../domain/ports/record/hosts.js';
import type { LeaseRecord } from '../../domain/ports/record/leases.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { oneRun, run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let url: string;
let db: Database;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
});
afterAll(async () => {
  await db.close();
});

const host = (hostId: string, over: Partial<HostRegistration> = {}): HostRegistration => ({
  ...{ hostId, hostname: hostId, cpus: 2, memoryMb: 8000, gpus: [], backends: ['docker', 'local'], slots: 2 },
  ...{ homeId: `home-of-${hostId}`, heartbeatSeconds: 10 },
  ...over,
});
/** Everyone gone, so that a test has the hosts that it registers. */
const alone = async (...hosts: HostRegistration[]): Promise<void> => {
  await db.pool.query(`update runs set host_id = null where status <> 'ended'`);
  await db.pool.query(`update hosts set removed_at = now(), seen_at = now() - interval '1 hour'`);
  for (const one of hosts) await db.store.registerHost(one);
};
/** As if it had last been heard so long ago, and first. */
const heard = (hostId: string, secondsAgo: number, aliveSecondsAgo = 3600) =>
  db.pool.query(
    `update hosts set seen_at = now() - make_interval(secs => $2), alive_since = now() - make_interval(secs => $3) where host_id = $1`,
    [hostId, secondsAgo, aliveSecondsAgo],
  );
const stateOf = async (hostId: string) =>
  (await db.queries.hosts({ includeRemoved: true })).find((one) => one.hostId === hostId)?.state;
/** Of a run of its own, which lives there in its first epoch. */
const leaseOn = async (hostId: string, token: number): Promise<LeaseRecord> => {
  const { runId } = await oneRun(db);
  const lease = { runId, token, hostId, devices: ['0'] };
  await db.store.recordLease(lease);
  await db.store.placeRun({ runId, epoch: 1, hostId });
  return lease;
};
const epochOf = async (runId: string) => (await db.store.runStates([runId])).get(runId)?.epoch;
const place = (one: SubmittedRun, epoch = 1) => db.store.placeRun({ runId: one.runId, epoch });

describe('placement', () => {
  test('takes the emptiest host that offers the backend, and waits when all slots are taken', async () => {
    await alone(host('small', { slots: 1 }), host('large', { slots: 3 }), host('plain', { backends: ['local'] }));
    const placed: string[] = [];
    for (let i = 0; i < 4; i++) {
      const decision = await place(await oneRun(db));
      placed.push(decision.kind === 'placed' ? decision.hostId : decision.reason);
    }
    expect(placed.sort()).toEqual(['large', 'large', 'large', 'small']);
    const fifth = await oneRun(db);
    expect(await place(fifth)).toEqual({ kind: 'none', reason: 'all hosts are full' });
    expect((await db.queries.showRun(fifth.runId)).status).toBe('waiting_host');
  });

  test('gives no host more than its slots, however many ask at once', async () => {
    await alone(host('a', { slots: 3 }), host('b', { slots: 4 }));
    const runs = await Promise.all(Array.from({ length: 20 }, () => oneRun(db)));
    const decisions = await Promise.all(runs.map((one) => place(one)));
    expect(decisions.filter((one) => one.kind === 'placed')).toHaveLength(7);
  });

  test('counts the memory limits of runs where the host says how much there is', async () => {
    const big = task('big');
    big.limits.memoryMb = 3000;
    await alone(host('m', { slots: 10, memoryForRunsMb: 7000 }));
    const kinds = [];
    for (let i = 0; i < 3; i++) kinds.push((await place(await oneRun(db, big))).kind);
    expect(kinds).toEqual(['placed', 'placed', 'none']);
  });

  test('runs with GPUs take no slot, and their memory counts against what the others may have', async () => {
    const withGpu = async () => {
      const one = await oneRun(db, big, { gpus: 1 });
      return { one, decision: await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'g' }) };
    };
    const big = task('big-gpu');
    big.limits.memoryMb = 3000;
    await alone(host('g', { slots: 1 }));
    for (let i = 0; i < 2; i++) expect((await withGpu()).decision.kind).toBe('placed');
    expect((await place(await oneRun(db, big))).kind).toBe('placed');
    expect((await place(await oneRun(db, big))).kind).toBe('none');

    await alone(host('g', { slots: 9, memoryForRunsMb: 7000 }));
    for (let i = 0; i < 3; i++) expect((await withGpu()).decision.kind).toBe('placed');
    expect((await place(await oneRun(db, big))).kind).toBe('none');
  });

  test('a run with GPUs waits while their host takes nothing new, and says why', async () => {
    await alone(host('g', { gpus: ['0'] }));
    const one = await oneRun(db);
    const placeThere = () => db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'g' });
    const refusals: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['it is drained', () => db.store.drainHost('g', true), () => db.store.drainHost('g', false)],
      [
        'its disk is full',
        () => db.store.registerHost(host('g', { gpus: ['0'], pauseReason: 'its disk is full' })),
        () => db.store.registerHost(host('g', { gpus: ['0'] })),
      ],
      [
        'what its former runs left there is not removed yet',
        () => db.pool.query(`update hosts set lost_at = now() where host_id = 'g'`),
        () => db.store.hostReturned('g', []),
      ],
    ];
    for (const [why, close, open] of refusals) {
      await close();
      const reason = `g, whose GPUs it holds, takes no new runs: ${why}`;
      expect(await placeThere()).toEqual({ kind: 'none', reason });
      expect((await db.queries.showRun(one.runId)).status).toBe('waiting_host');
      await open();
    }
    expect(await placeThere()).toEqual({ kind: 'placed', hostId: 'g', epoch: 1 });
  });

  test('a run whose GPUs are on a host that is silent or removed is put there: so it finds out that the host is lost', async () => {
    await alone(host('away', { gpus: ['0'] }));
    await db.store.drainHost('away', true);
    await heard('away', 31);
    for (const close of [async () => {}, () => db.store.removeHost('away')]) {
      await close();
      const one = await oneRun(db);
      expect(await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'away' })).toMatchObject({ hostId: 'away' });
    }
  });

  test('made again is the same; a run that was further goes on from there; elsewhere it is a new epoch', async () => {
    await alone(host('a'), host('b'));
    const one = await oneRun(db);
    const first = await place(one);
    expect(await place(one)).toEqual(first);
    if (first.kind !== 'placed') throw new Error('not placed');
    expect(await db.store.beginEpoch(one.runId, 3, first.hostId)).toBe(true);
    expect(await place(one)).toEqual({ ...first, epoch: 3 });
    const other = first.hostId === 'a' ? 'b' : 'a';
    expect(await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: other })).toMatchObject({ epoch: 4 });
  });

  test('passes over hosts that are silent, drained, paused, lost or removed', async () => {
    await alone(
      ...['silent', 'drained', 'lost', 'removed'].map((id) => host(id)),
      host('paused', { pauseReason: 'its disk is full' }),
    );
    await heard('silent', 31);
    await db.store.drainHost('drained', true);
    await db.pool.query(`update hosts set lost_at = now() where host_id = 'lost'`);
    await heard('removed', 31);
    await db.store.removeHost('removed');
    const one = await oneRun(db);
    expect(await place(one)).toEqual({ kind: 'none', reason: 'no host takes new runs' });
    expect(await Promise.all(['silent', 'drained', 'paused', 'lost', 'removed'].map(stateOf))).toEqual([
      'silent',
      'drained',
      'paused',
      'lost',
      'removed',
    ]);
    await db.store.drainHost('drained', false);
    expect(await place(one)).toMatchObject({ hostId: 'drained' });
  });

  test('a host that fills up and one that has room again say so in an event, once', async () => {
    await alone(host('f'));
    for (const pauseReason of ['its disk is full: 3 MB', 'its disk is full: 2 MB', null, null])
      await db.store.registerHost(host('f', { pauseReason }));
    const told = (await db.queries.events({})).filter(({ detail }) => detail.startsWith('host f '));
    expect(told.map(({ kind }) => kind)).toEqual(['host_paused', 'host_resumed']);
  });
});

describe('a host', () => {
  test('is one home: another that is alive under its name is refused, one that follows it is not', async () => {
    await alone(host('h', { homeId: 'one' }));
    await expect(db.store.registerHost(host('h', { homeId: 'two' }))).rejects.toThrow(
      'another machine is the host "h" and alive',
    );
    await heard('h', 31);
    expect(await db.store.registerHost(host('h', { homeId: 'two' }))).toMatchObject({ lost: false });
  });

  test('counts as lost only when another that could take the run was heard all the while', async () => {
    await alone(host('gone'), host('witness'));
    const one = await oneRun(db);
    await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'gone' });
    const judge = () => db.store.judgeHost({ runId: one.runId, hostId: 'gone', epoch: 1 });
    expect(await judge()).toBe('keep');
    await heard('gone', 61);
    // Both were away until now, as after an outage of Postgres.
    await heard('witness', 0, 5);
    expect(await judge()).toBe('keep');
    await heard('witness', 0, 61);
    await db.pool.query(`update hosts set backends = '["local"]' where host_id = 'witness'`);
    expect(await judge()).toBe('keep');
    await db.pool.query(`update hosts set backends = '["docker"]' where host_id = 'witness'`);
    expect(await judge()).toBe('lost');
    expect(await judge()).toBe('lost');
    expect((await db.queries.events({ runId: one.runId })).map(({ kind }) => kind)).toEqual(['host_lost']);
    expect(await stateOf('gone')).toBe('lost');
  });

  test('that registers after a gap bears no witness for the time before', async () => {
    await alone(host('w'));
    await heard('w', 31, 3600);
    await db.store.registerHost(host('w'));
    const { rows } = await db.pool.query(
      `select alive_since > now() - interval '1 minute' as anew from hosts where host_id = 'w'`,
    );
    expect(rows).toEqual([{ anew: true }]);
  });

  test('that registers without reaching Temporal is given nothing at once, and its registrations keep no run there', async () => {
    const cutOff = () => db.store.registerHost(host('half', { cutOff: true }));
    await alone(host('half'), host('witness', { backends: ['docker'] }));
    const one = await oneRun(db);
    await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'half' });
    await db.store.drainHost('witness', true);
    await cutOff();
    expect(await place(await oneRun(db))).toEqual({ kind: 'none', reason: 'no host takes new runs' });
    const [half] = await db.queries.hosts();
    expect(half).toMatchObject({ hostId: 'half', state: 'paused', pauseReason: 'it does not reach Temporal' });

    await db.store.drainHost('witness', false);
    const judge = () => db.store.judgeHost({ runId: one.runId, hostId: 'half', epoch: 1 });
    await heard('witness', 0, 3600);
    await heard('half', 31);
    await cutOff();
    expect([await stateOf('half'), await judge()]).toEqual(['silent', 'keep']);
    await heard('half', 61);
    await cutOff();
    expect(await judge()).toBe('lost');
    expect((await db.queries.events({ runId: one.runId })).map(({ detail }) => detail)).toEqual([
      'host half does not reach Temporal; the run continues on another host',
    ]);

    // Back, it was not heard all the while.
    expect(await db.store.registerHost(host('half'))).toMatchObject({ lost: true });
    await db.store.hostReturned('half', []);
    expect(await stateOf('half')).toBe('up');
    const { rows } = await db.pool.query(
      `select alive_since > now() - interval '1 minute' as since from hosts where host_id = 'half'`,
    );
    expect(rows).toEqual([{ since: true }]);
    const told = (await db.queries.events({})).filter(({ detail }) => detail.startsWith('host half '));
    expect(told.map(({ kind }) => kind).toSorted()).toEqual([
      'host_lost',
      'host_paused',
      'host_resumed',
      'host_returned',
    ]);
  });

  test('that comes back is told what it lost, and its quarantined GPUs are free only when it has cleared up', async () => {
    await alone(host('g', { gpus: ['0', '1'] }));
    const lease = await leaseOn('g', 501);
    await db.pool.query(`update hosts set lost_at = now() where host_id = 'g'`);
    await db.store.abandonLease(lease);
    expect(await db.store.unreleased([501])).toEqual([501]);
    const again = await db.store.registerHost(host('g', { gpus: ['0', '1'] }));
    expect(again).toMatchObject({ lost: true, abandoned: [501] });
    expect(await db.store.unreleased([501])).toEqual([501]);
    expect(await db.store.gpuHosts()).toEqual([]);
    await db.store.hostReturned('g', again.abandoned);
    expect(await db.store.unreleased([501])).toEqual([]);
    expect(await db.store.gpuHosts()).toMatchObject([{ hostId: 'g', devices: ['0', '1'] }]);
    expect((await db.store.registerHost(host('g'))).abandoned).toEqual([]);
  });

  test('that was back before a run gave up its lease there is told of it all the same', async () => {
    await alone(host('early', { gpus: ['0'] }));
    const lease = await leaseOn('early', 511);
    await db.store.hostReturned('early', []);
    await db.store.abandonLease(lease);
    // What it looked for was from before: this lease is not cleared yet.
    await db.store.hostReturned('early', []);
    expect(await db.store.unreleased([511])).toEqual([511]);
    const told = await db.store.registerHost(host('early', { gpus: ['0'] }));
    expect(told).toMatchObject({ lost: false, abandoned: [511] });
    await db.store.hostReturned('early', told.abandoned);
    expect(await db.store.unreleased([511])).toEqual([]);
  });

  test('is removed only when it is not alive; its leases are over then', async () => {
    await alone(host('r', { gpus: ['0'] }));
    const one = await oneRun(db);
    await db.store.recordLease({ runId: one.runId, token: 601, hostId: 'r', devices: ['0'] });
    await expect(db.store.removeHost('r')).rejects.toThrow('host "r" is alive');
    await heard('r', 31);
    await db.store.removeHost('r');
    expect(await db.store.unreleased([601])).toEqual([]);
    expect(await db.store.judgeHost({ runId: one.runId, hostId: 'r', epoch: 1 })).toBe('lost');
    expect((await db.store.hostStates()).removed).toContain('r');
    await expect(db.store.removeHost('nobody')).rejects.toThrow('no host "nobody"');
    await expect(db.store.drainHost('nobody', true)).rejects.toThrow('no host "nobody"');
  });

  test('hands out no GPU that others use', async () => {
    await alone(host('busy', { gpus: ['0', '1', '2'], busyGpus: ['1'] }));
    expect(await db.store.gpuHosts()).toEqual([
      { endsAt: null, hostId: 'busy', devices: ['0', '2'], backends: ['docker', 'local'] },
    ]);
  });
});

describe('leases', () => {
  test('that were taken back are void: also one that is recorded only afterwards', async () => {
    const one = await oneRun(db);
    const lease = { runId: one.runId, token: 701, hostId: 'x', devices: ['0', '1'] };
    await db.store.revokeLease(lease);
    expect(await db.store.recordLease(lease)).toBe(false);
    expect(await db.store.leaseValid(one.runId, 701)).toBe(false);
    const next = { ...lease, token: 702 };
    expect(await db.store.recordLease(next)).toBe(true);
    expect(await db.store.devicesOf(one.runId)).toEqual(['0', '1']);
    await db.store.revokeLease(next);
    expect(await db.store.devicesOf(one.runId)).toEqual([]);
    expect(await db.store.leaseValid(one.runId, 702)).toBe(false);
    // Its GPUs stay taken until they are released.
    const other = await oneRun(db);
    await expect(db.store.recordLease({ ...next, runId: other.runId, token: 703 })).rejects.toMatchObject({
      constraint: 'leases_one_holder',
    });
    await db.store.releaseLease(one.runId, 702);
    expect(await db.store.recordLease({ ...next, runId: other.runId, token: 703 })).toBe(true);
    expect(await db.store.openLeases()).toMatchObject({ nextToken: 704 });
    await db.store.releaseLease(other.runId, 703);
  });

  test('that were abandoned leave the run on no host, with what it has there of the past', async () => {
    await alone(host('left', { gpus: ['0'] }));
    const lease = await leaseOn('left', 711);
    const { runId } = lease;
    await db.store.abandonLease(lease);
    expect(await db.store.leaseValid(runId, 711)).toBe(false);
    expect(await epochOf(runId)).toBe(2);
    expect(await db.store.beginEpoch(runId, 1, 'left')).toBe(false);
    // Placed again, in the epoch that the run counts itself; also there once more.
    await db.store.setStatus(runId, 'waiting_gpu');
    await db.store.recordLease({ ...lease, token: 712, devices: ['1'] });
    expect(await db.store.placeRun({ runId, epoch: 2, hostId: 'left' })).toMatchObject({ hostId: 'left', epoch: 2 });
    // Said again, late: nothing happens to where it lives now.
    await db.store.abandonLease(lease);
    expect(await epochOf(runId)).toBe(2);
    expect(await db.store.leaseValid(runId, 712)).toBe(true);
    expect((await db.store.registerHost(host('left', { gpus: ['0'] }))).abandoned).toEqual([711]);
    await db.store.releaseLease(runId, 711);
    await db.store.releaseLease(runId, 712);
  });

  test('that the pool took back before their host was lost are given up all the same', async () => {
    await alone(host('both', { gpus: ['0'] }));
    const lease = await leaseOn('both', 731);
    await db.store.revokeLease(lease);
    await db.store.abandonLease(lease);
    expect(await epochOf(lease.runId)).toBe(2);
    const { abandoned } = await db.store.registerHost(host('both', { gpus: ['0'] }));
    expect(abandoned).toEqual([731]);
    await db.store.hostReturned('both', abandoned);
    expect(await db.store.unreleased([731])).toEqual([]);
  });

  test('that a run left behind when it ended are given up', async () => {
    await alone(host('ended', { gpus: ['0'] }));
    const lease = await leaseOn('ended', 741);
    await db.store.revokeLease(lease);
    await db.store.finishRun(lease.runId, { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null });
    expect((await db.store.registerHost(host('ended', { gpus: ['0'] }))).abandoned).toEqual([741]);
    await db.store.releaseLease(lease.runId, 741);
  });

  test('that a pool finds when it begins anew are held, being taken back, or given up', async () => {
    await alone(host('open', { gpus: ['0'] }));
    const [held, takenBack, abandoned] = [
      await leaseOn('open', 721),
      { ...(await leaseOn('open-2', 722)) },
      { ...(await leaseOn('open-3', 723)) },
    ];
    await db.store.revokeLease(takenBack);
    await db.store.abandonLease(abandoned);
    const { leases } = await db.store.openLeases();
    expect(leases.filter(({ token }) => token > 720)).toEqual([
      { ...held, revoked: false, abandoned: false },
      { ...takenBack, revoked: true, abandoned: false },
      { ...abandoned, revoked: true, abandoned: true },
    ]);
    for (const { runId, token } of [held, takenBack, abandoned]) await db.store.releaseLease(runId, token);
  });

  test('waiters are listed with the time since when', async () => {
    const batch = submission(null, (batchId) => [{ ...run(batchId, task('t'), 'm', 1), gpus: 4 }]);
    await db.intake.submit(batch);
    const runId = batch.runs[0]?.runId ?? '';
    await db.store.setStatus(runId, 'waiting_gpu');
    expect(await db.queries.leaseWaiters()).toMatchObject([{ runId, batchId: batch.batch.batchId, gpus: 4 }]);
    await db.store.setStatus(runId, 'starting');
    expect(await db.queries.leaseWaiters()).toEqual([]);
  });
});

describe('an older epoch', () => {
  test('writes neither a command nor an evaluation, and begins no sandbox', async () => {
    const one = await oneRun(db);
    await db.store.placeRun({ runId: one.runId, epoch: 1, hostId: 'old' });
    await db.store.saveAction(one.runId, 1, { response: 'r', thought: 't', action: 'a', modelMs: 1 });
    await db.store.placeRun({ runId: one.runId, epoch: 2, hostId: 'new' });
    const command = {
      ...{ observation: 'late', exitCode: 0, timedOut: false, lost: false, outputBytes: 4, requested: null },
      ...{ workingDir: '/ws', commandMs: 1 },
    };
    await db.store.saveCommand(one.runId, 1, command, {
      epoch: 1,
      events: [{ kind: 'command_lost', key: 'late', detail: 'd' }],
    });
    expect(await db.queries.events({ runId: one.runId })).toEqual([]);
    expect((await db.store.step(one.runId, 1))?.observation).toBeNull();
    const evaluation = {
      ...{
        runId: one.runId,
        step: 1,
        kind: 'validate' as const,
        status: 'ok' as const,
        metrics: { score: 1 },
        primary: 1,
      },
      ...{ suspect: false, message: 'm', submissionSha256: null, ms: 1, isolation: 'container' as const },
      evaluationNumber: await db.store.evaluationNumber(one.runId, 1, 'validate'),
    };
    await db.store.saveEvaluation({ ...evaluation, epoch: 1 });
    expect(await db.store.evaluation(one.runId, 1, 'validate')).toBeNull();
    expect(await db.store.beginEpoch(one.runId, 1, 'old')).toBe(false);
    expect(await db.store.beginEpoch(one.runId, 2, 'old')).toBe(false);
    expect(await db.store.beginEpoch(one.runId, 2, 'new')).toBe(true);
    await db.store.saveCommand(one.runId, 1, { ...command, observation: 'now' }, { epoch: 2 });
    await db.store.saveEvaluation({ ...evaluation, epoch: 2 });
    expect((await db.store.step(one.runId, 1))?.observation).toContain('now');
    expect(await db.store.evaluation(one.runId, 1, 'validate')).toMatchObject({ status: 'ok' });
  });
});

describe('a host', () => {
  test('that leaves at a time is given what ends before, and nothing once it leaves; its runs are handed on without a fault', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000);
    await alone(host('lent', { leavesAt: inAnHour, gpus: ['0'] }));
    const one = await oneRun(db);
    const place = (seconds?: number) =>
      db.store.placeRun({ runId: one.runId, epoch: 1, ...(seconds === undefined ? {} : { seconds }) });
    expect(await place(7_200)).toEqual({
      kind: 'none',
      reason: 'each host that takes new runs leaves within the 7200 s that the run may take',
    });
    expect(await db.store.gpuHosts()).toMatchObject([{ hostId: 'lent', endsAt: inAnHour.getTime() }]);
    expect(await place(3_000)).toMatchObject({ kind: 'placed', hostId: 'lent' });
    const placed = { runId: one.runId, epoch: 1, step: 0 };
    expect(await db.store.placedRuns('lent')).toEqual([{ ...placed, idle: false }]);
    await db.store.setStatus(one.runId, 'running');
    expect(await db.store.placedRuns('lent')).toEqual([{ ...placed, idle: true }]);
    const lease = await leaseOn('lent', 731);
    await db.store.recordLease(lease);

    await db.store.registerHost(host('lent', { leavesAt: inAnHour, gpus: ['0'], leaving: true }));
    expect(await stateOf('lent')).toBe('leaving');
    expect(await db.store.gpuHosts()).toEqual([]);
    const other = await oneRun(db);
    expect(await db.store.placeRun({ runId: other.runId, epoch: 1 })).toMatchObject({ kind: 'none' });
    const judge = () => db.store.judgeHost({ runId: one.runId, hostId: 'lent', epoch: 1 });
    expect(await judge()).toBe('keep');
    await db.store.hostLeft('lent', 'host lent has left');
    expect(await judge()).toBe('left');
    expect(await stateOf('lent')).toBe('removed');
    expect(await db.store.unreleased([731])).toEqual([]);
    expect(await db.queries.events({ runId: one.runId })).toEqual([]);
    expect(await db.queries.events({ kinds: ['host_left'] })).toMatchObject([{ detail: 'host lent has left' }]);

    // Lent again, it is a host like others once it has looked for what was left.
    expect(await db.store.registerHost(host('lent'))).toMatchObject({ lost: true });
    await db.store.hostReturned('lent', []);
    expect(await stateOf('lent')).toBe('up');
  });
});
