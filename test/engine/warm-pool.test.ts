import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxSpec } from '../../activities/container.js';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { containerName } from '../../backends/docker/sandbox-container.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { newRunId } from '../../domain/ids.js';
import type { Backends } from '../../domain/ports/backends.js';
import type { SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { warmKey } from '../../domain/task/warm-key.js';
import { homeTag } from '../../operations/home/home-identity.js';
import { workerSettings } from '../../operations/home/worker-settings.js';
import { createBackends } from '../../worker/backends.js';
import { reap } from '../../worker/reap.js';
import { warmPool } from '../../worker/warm-pool.js';
import { oneRun, task } from '../fixtures/rows.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';

const HOST = 'warm-host';
const never = new AbortController().signal;
const layout = homeLayout(await mkdtemp(join(tmpdir(), 'bench-warm-')));
const tag = homeTag(layout);
const log = { info: () => undefined, warn: () => undefined, debug: () => undefined };
const taskDir = join(layout.home, 'task');

let server: TestPostgres;
let db: Database;
let docker: Docker;
let backends: Backends;
let like: RunDefinition;
let key: string;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
  const settings = workerSettings({ BENCH_HOME: layout.home, DATABASE_URL: url, TEMPORAL_ADDRESS: 'nowhere' });
  backends = createBackends(settings, log as unknown as Parameters<typeof createBackends>[1]);
  docker = connectEngine(engineAddress('docker', process.env));
  await db.store.registerHost({
    hostId: HOST,
    hostname: 'h',
    cpus: 1,
    memoryMb: 1,
    gpus: [],
    backends: ['docker'],
    slots: 4,
  });
  await mkdir(join(taskDir, 'starter'), { recursive: true });
  await writeFile(join(taskDir, 'starter', 'begin.txt'), 'begun');
  const { runId } = await oneRun(db, task('t'), { backend: 'docker' });
  like = await db.store.definition(runId);
  key = warmKey(like) ?? '';
  await db.store.requestWarm(key, runId);
});
afterAll(async () => {
  for (const ref of await backends.docker.sandbox.list()) await backends.docker.sandbox.stop(ref);
  await db.close();
  await server.stop();
  await rm(layout.home, { recursive: true, force: true });
});

const pool = (most: number) =>
  warmPool({ store: db.store, backends, hostId: HOST, most, log, taskFolder: () => Promise.resolve(taskDir) });
const specOf = (ref: SandboxRef): SandboxSpec => sandboxSpec(like, { ...ref, taskDir, gpuDevices: [], memory: null });
const standing = async (): Promise<string[]> => (await backends.docker.sandbox.list()).map(({ runId }) => runId);

/** What the engine holds of a container, but for its names and places. */
async function described({ runId, epoch }: SandboxRef): Promise<unknown> {
  const { Config, HostConfig, Mounts, State } = await docker
    .getContainer(containerName(tag, { runId, epoch }))
    .inspect();
  const without = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(runId, 'RUN')
        .replaceAll(/\b[0-9a-f]{64}\b/g, 'ID'),
    );
  return without({
    Config,
    HostConfig,
    Mounts: Mounts.toSorted((a, b) => (a.Destination < b.Destination ? -1 : 1)),
    status: State.Status,
  });
}

/** What an agent sees, but for the number of its process and the time. */
const LOOK = `pwd; id; ls -lan --time-style=+ . ~ /tmp; cat begin.txt; echo; env | sort; df --output=size,target . /tmp;
  cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/pids.max /sys/fs/cgroup/cpu.max 2>/dev/null; ulimit -a; hostname; ls /sys/class/net`;
async function seen(ref: SandboxRef): Promise<string> {
  const { output } = await backends.docker.sandbox.run(ref, { n: 1, script: LOOK, timeLimitSeconds: 60 }, never);
  return output;
}

it('equals a sandbox that its run starts itself, and is adopted by its run', async () => {
  const ahead = pool(1);
  await ahead.refill();
  // No more than one of a kind.
  await ahead.refill();
  const runId = (await db.store.claimWarm(key)) ?? '';
  expect(await standing()).toEqual([runId]);
  const warm = { runId, epoch: 1 };
  const cold = { runId: newRunId(), epoch: 1 };
  const before = await docker.getContainer(containerName(tag, warm)).inspect();
  const [adopted, made] = [
    await backends.docker.sandbox.start(specOf(warm)),
    await backends.docker.sandbox.start(specOf(cold)),
  ];
  expect(adopted).toEqual({ ...made, created: false });
  expect(made.created).toBe(true);
  const after = await docker.getContainer(containerName(tag, warm)).inspect();
  expect([after.Id, after.State.StartedAt]).toEqual([before.Id, before.State.StartedAt]);
  expect(await described(warm)).toEqual(await described(cold));
  const look = await seen(warm);
  expect(look).toContain('begun');
  expect(look).toBe(await seen(cold));
  await backends.docker.sandbox.stop(warm);
  await backends.docker.sandbox.stop(cold);
  await ahead.empty();
  expect(await standing()).toEqual([]);
});

it('is ended with its worker, and when nobody wants it any more; a claimed one stays', async () => {
  const ahead = pool(2);
  await ahead.refill();
  await ahead.refill();
  const claimed = (await db.store.claimWarm(key)) ?? '';
  expect(await standing()).toHaveLength(2);
  await ahead.empty();
  expect(await standing()).toEqual([claimed]);
  await ahead.refill();
  expect(await standing()).toEqual([claimed]);
  await backends.docker.sandbox.stop({ runId: claimed, epoch: 1 });
});

it('goes when its episode ends before anyone acted in it', async () => {
  const ahead = pool(1);
  const { runId } = await oneRun(db, task('t'), { backend: 'docker' });
  await db.store.beginWarm({ runId, hostId: HOST, key, most: 1 });
  await backends.docker.sandbox.start(specOf({ runId, epoch: 1 }));
  await db.store.warmIsReady(runId);
  expect(await db.store.claimWarm(key)).toBe(runId);
  await ahead.dropUnbegun();
  expect(await standing()).toEqual([runId]);
  await db.store.finishRun(runId, { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null });
  await ahead.dropUnbegun();
  expect(await standing()).toEqual([]);
});

it('is left alone by the reaper while its worker lives, and removed after it was killed, wherever that was', async () => {
  await pool(1).refill();
  // Killed in the middle of a start: registered, and its container half made.
  const half = { runId: newRunId(), epoch: 1 };
  await db.store.beginWarm({ ...half, hostId: HOST, key, most: 2 });
  await backends.docker.sandbox.start(specOf(half));
  expect(await standing()).toHaveLength(2);
  await reap(db.store, backends, log);
  expect(await standing()).toHaveLength(2);
  // As the next worker does at its start.
  await db.store.forgetWarm(HOST, []);
  await reap(db.store, backends, log);
  expect(await standing()).toEqual([]);
});
