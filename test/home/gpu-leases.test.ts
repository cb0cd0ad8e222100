import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killService } from '../chaos/kill-service.js';
import { connectTemporal } from '../../temporal/connect.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { BenchHome } from '../setup/bench-home.js';
import { pick, seededRandom } from '../setup/random.js';
import { GPUS, simulateGpuPool } from '../setup/simulated-gpu-pool.js';

// BENCH_SEMAPHORE_RUNS=500 is the largest form so far; BENCH_SEMAPHORE_SEED gives other moments.
// BENCH_SEMAPHORE_HOLD=45 (seconds per run, about) also compares GPU use with a fault-free
// simulation: RUNS times 17 s.
const RUNS = Number(process.env['BENCH_SEMAPHORE_RUNS'] ?? 100);
const SEED = Number(process.env['BENCH_SEMAPHORE_SEED'] ?? 8);
const HOLD_S = Number(process.env['BENCH_SEMAPHORE_HOLD'] ?? 3);
/** Seconds for a grant and a dead holder: little for a training, much against three seconds. */
const MEASURED = HOLD_S >= 45;
const SIZES = [1, 2, 3, 4];
const KILLS = Math.max(3, Math.floor(RUNS / 10));
const TIMEOUT_MS = Math.max(7_200_000, RUNS * HOLD_S * 600);

let home: BenchHome;
let temporal: Client;
beforeAll(async () => {
  home = new BenchHome({ BENCH_GPUS: 'declared:0,1,2,3,4,5,6,7' });
  temporal = await connectTemporal(await home.json<ServiceEndpoints>('up'), {});
});
afterAll(async () => {
  await temporal.connection.close();
  await home.remove();
});

/** By device, the users that the runs' own processes see; each run has its own user. */
function devicesInUse(): Map<string, Set<number>> {
  const users = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (userOfDevices(name) ?? []) : []));
  const seen = new Map<string, Set<number>>();
  // Who is there when all have been seen: the others may have gone before the last ones came.
  for (const { uid, devices } of users.filter((user) => userOfDevices(user.pid)?.uid === user.uid))
    for (const device of devices) seen.set(device, (seen.get(device) ?? new Set()).add(uid));
  return seen;
}

function userOfDevices(pid: string): { pid: string; uid: number; devices: string[] } | null {
  try {
    const devices = /(?:^|\0)CUDA_VISIBLE_DEVICES=([0-9,]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
    const { uid } = statSync(`/proc/${pid}`);
    // Agents, not their supervisors, which are root's, nor those of another home.
    if (devices === undefined || uid === 0) return null;
    if (!readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(basename(home.dir))) return null;
    return { pid, uid, devices: devices.split(',') };
  } catch {
    // It has ended.
    return null;
  }
}

it('no GPU has two holders and none is lost, whoever is killed', { timeout: TIMEOUT_MS }, async () => {
  const random = seededRandom(SEED);
  const batches: string[] = [];
  for (const gpus of SIZES) {
    const { batchId } = await home.json<{ batchId: string }>(
      ...[
        'submit',
        '--models',
        `scripted:slow:${HOLD_S / 3}`,
        '--tasks',
        'battleOfSexes',
        '--attempts',
        String(RUNS / SIZES.length),
      ],
      ...['--gpus-per-run', String(gpus), '--concurrency', '6', '--backend', 'local'],
    );
    batches.push(batchId);
  }

  const doubles: string[] = [];
  let samples = 0;
  const probe = setInterval(() => {
    for (const [device, users] of devicesInUse()) {
      samples += 1;
      if (users.size > 1) doubles.push(`GPU ${device}: users ${[...users].join(', ')}`);
    }
  }, 250);
  const killed: string[] = [];
  /** By the token of the lease that it had: a run that the batch starts again gets another. */
  const killedAt = new Map<number, Date>();
  try {
    for (let kills = 0; kills < KILLS; kills += 1) {
      // Spread over the whole, also when runs last long.
      await sleep((1_000 + random() * 3_000) * Math.max(1, HOLD_S / 8));
      const holders = await home.sql<{ run_id: string; token: number }>(
        `select distinct run_id, token::float8 as token from leases
         where released_at is null and run_id <> all($1) order by run_id, token`,
        [killed],
      );
      if (holders.length > 0) {
        const { run_id: runId, token } = pick(random, holders);
        killed.push(runId);
        await retried(() => temporal.workflow.getHandle(`run/${runId}`).terminate('killed by a test'));
        killedAt.set(token, new Date());
      }
      if (kills === 1) killService(home, 'worker');
      if (kills === 2) killService(home, 'temporal');
    }
    await until('all other runs have ended, and all leases are given back', async () => {
      const [left] = await home.sql<{ runs: number; leases: number }>(
        `select (select count(*)::int from runs where batch_id = any($1) and status <> 'ended' and run_id <> all($2)) as runs,
           (select count(*)::int from leases where released_at is null) as leases`,
        [batches, killed],
      );
      return left?.runs === 0 && left.leases === 0;
    });
  } finally {
    clearInterval(probe);
  }

  const given = await home.sql<{ token: number; released_at: Date }>(
    'select token::float8 as token, max(released_at) as released_at from leases where token = any($1::bigint[]) group by 1',
    [[...killedAt.keys()]],
  );
  const reclaimed = given.map((lease) => (lease.released_at.getTime() - killedAt.get(lease.token)!.getTime()) / 1000);
  console.info(
    `${killed.length} dead holders, their GPUs free again within ${Math.max(...reclaimed).toFixed(1)} s; ${samples} samples`,
  );
  expect(reclaimed).toHaveLength(killed.length);
  expect(samples).toBeGreaterThan(0);
  expect(doubles).toEqual([]);
  // By the record: no two leases of a device overlap, and every run had all of its GPUs at once.
  const overlaps = await home.sql(
    `select a.run_id, b.run_id, a.device from leases a join leases b
       on a.host_id = b.host_id and a.device = b.device and a.token < b.token
       and tstzrange(a.granted_at, a.released_at) && tstzrange(b.granted_at, b.released_at)`,
  );
  expect(overlaps).toEqual([]);
  const partial = await home.sql(
    'select l.run_id, l.token from leases l join runs r using (run_id) group by 1, 2, r.gpus having count(*) <> r.gpus',
  );
  expect(partial).toEqual([]);
  const ends = await home.sql<{ end_reason: string }>(
    'select distinct end_reason from runs where batch_id = any($1) and run_id <> all($2)',
    [batches, killed],
  );
  expect(ends).toEqual([{ end_reason: 'submit' }]);

  const { real, calm } = await utilisation(batches, killedAt);
  console.info(
    `of all GPU seconds until the last grant, living runs held ${real.toFixed(3)}, simulated ${calm.toFixed(3)}`,
  );
  if (MEASURED) expect(real).toBeGreaterThanOrEqual(0.95 * calm);
});

/** Share of GPU seconds, first grant to last, of living runs; and in a fault-free simulation. */
async function utilisation(
  batches: string[],
  killedAt: ReadonlyMap<number, Date>,
): Promise<{ real: number; calm: number }> {
  const leases = await home.sql<{ token: number; batch_id: string; gpus: number; granted_at: Date; released_at: Date }>(
    `select l.token::float8 as token, r.batch_id, r.gpus, min(l.granted_at) as granted_at, max(l.released_at) as released_at
     from leases l join runs r using (run_id) where r.batch_id = any($1) group by l.token, r.batch_id, r.gpus order by l.token`,
    [batches],
  );
  const begin = Math.min(...leases.map((lease) => lease.granted_at.getTime()));
  const runs = leases.map((lease) => {
    const until = Math.min(lease.released_at.getTime(), killedAt.get(lease.token)?.getTime() ?? Infinity);
    return { ...lease, from: (lease.granted_at.getTime() - begin) / 1000, to: (until - begin) / 1000 };
  });
  const lastGrant = Math.max(...runs.map(({ from }) => from));
  const held = runs.reduce((sum, { from, to, gpus }) => sum + Math.max(0, Math.min(to, lastGrant) - from) * gpus, 0);
  const calm = simulateGpuPool(
    runs.map(({ token, batch_id: batchId, gpus, from, to }) => ({
      ...{ runId: String(token), batchId, gpus, lasts: to - from },
      ...{ arrives: 0, killedAfter: null },
    })),
  );
  return { real: held / (lastGrant * GPUS.length), calm: calm.utilisation };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Temporal may be briefly down, by our own hand; a run that ended meanwhile is not killed. */
async function retried(work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (Date.now() < deadline) {
    try {
      await work();
      return;
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return;
      await sleep(500);
    }
  }
  throw new Error('Temporal does not answer');
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < RUNS * 100; tries += 1) {
    if (await look()) return;
    await sleep(500);
  }
  throw new Error(`still not true: ${what}`);
}
