import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { createDockerLeftovers } from '../../backends/docker/leftovers.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import { ensureDisk, unmountDisk } from '../../backends/docker/workspace-disk.js';
import { makerOf } from '../../backends/mark.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { newRunId } from '../../domain/ids.js';
import { createBackends } from '../../worker/backends.js';
import { homeTag } from '../../operations/home/home-identity.js';
import { reap } from '../../worker/reap.js';
import { workerSettings } from '../../operations/home/worker-settings.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { oneRun, SUBMITTED } from '../fixtures/rows.js';

const ROOT = resolve(import.meta.dirname, '../..');
const layout = homeLayout(await mkdtemp(join(tmpdir(), 'bench-reaper-')));
const tag = homeTag(layout);
const ours = { 'bench.home': tag };
const later = String(Math.ceil(Date.now() / 1000) + 3600);

let server: TestPostgres;
let db: Database;
let docker: Docker;
let image: string;
let reapOnce: () => Promise<void>;
/** Ids of runs: one ended, one alive in its second container, one unknown. */
let ended: string;
let live: string;
const unknown = newRunId();
/** A process that has died, and this one. */
let dead: string;
let alive: string;
const planted: string[] = [];

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
  const settings = workerSettings({ BENCH_HOME: layout.home, DATABASE_URL: url, TEMPORAL_ADDRESS: 'nowhere' });
  const log = { info: () => undefined, warn: () => undefined, debug: () => undefined };
  const backends = createBackends(settings, log as unknown as Parameters<typeof createBackends>[1]);
  reapOnce = async () => void (await reap(db.store, backends, log));
  docker = connectEngine(engineAddress('docker', process.env));
  image = (await ensureImage(docker, 'agent', { assetsRoot: ROOT })).ref;
  ended = (await oneRun(db)).runId;
  await db.store.finishRun(ended, SUBMITTED);
  live = (await oneRun(db)).runId;
  const at = { hostId: 'h', isolation: 'container' as const, imageDigest: null, workspace: '/w' };
  await db.store.sandboxStarted(live, { ...at, epoch: 2 });
  const child = spawn('sleep', ['60']);
  dead = await makerOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  alive = await makerOf(process.pid);
});
afterAll(async () => {
  for (const name of planted) {
    await docker
      .getContainer(name)
      .remove({ force: true, v: true })
      .catch(() => undefined);
    await docker
      .getVolume(name)
      .remove()
      .catch(() => undefined);
  }
  await unmountDisk(layout.run(live, 2).dir);
  await db.close();
  await server.stop();
  await rm(layout.home, { recursive: true, force: true });
});

async function container(name: string, labels: Record<string, string>): Promise<string> {
  const full = `bench-${tag}-${name}`;
  planted.push(full);
  await docker.createContainer({ name: full, Image: image, Cmd: ['true'], Labels: labels });
  return full;
}
async function volume(name: string, labels: Record<string, string>): Promise<string> {
  const full = `bench-${tag}-${name}`;
  planted.push(full);
  await docker.createVolume({ Name: full, Labels: labels });
  return full;
}
const left = async (names: string[]): Promise<string[]> => {
  const containers = (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names.map((n) => n.slice(1)));
  const volumes = (await docker.listVolumes()).Volumes.map(({ Name }) => Name);
  return names.filter((name) => [...containers, ...volumes].includes(name));
};
const eventsSince = async (eventId: number) =>
  (await db.queries.events({ afterEventId: eventId })).filter(({ kind }) => kind === 'sandbox_reaped');
const lastEvent = async () => (await db.queries.events({})).at(-1)?.eventId ?? 0;

describe('what no live run owns', () => {
  it('is removed from the engine, and nothing else, each with an event', async () => {
    const sandbox = (run: string, epoch: number, home = tag) =>
      container(`${run}-${epoch}${home === tag ? '' : 'x'}`, {
        'bench.home': home,
        'bench.run': run,
        'bench.epoch': String(epoch),
      });
    const evaluator = (job: string, maker: string, until = later) =>
      container(`eval-${job}`, { ...ours, 'bench.evaluation': job, 'bench.maker': maker, 'bench.until': until });
    const socket = (run: string, epoch: number) =>
      volume(`${run}-${epoch}-net`, { ...ours, 'bench.run': run, 'bench.epoch': String(epoch) });

    const doomed = [
      await sandbox(ended, 1),
      await sandbox(live, 1),
      await sandbox(unknown, 1),
      await evaluator(`${ended}-3-submit`, alive),
      await evaluator(`${live}-1-validate`, dead),
      await evaluator(`${live}-2-validate`, alive, '1000'),
      await evaluator('verify-of-a-task', dead),
      await socket(ended, 9),
    ];
    const kept = [
      await sandbox(live, 2),
      await sandbox(live, 3),
      await evaluator(`${live}-4-validate`, alive),
      // Of a machine that we know nothing of.
      await evaluator(`${live}-5-validate`, dead.replace(/^[^/]*/, 'another-boot')),
      await evaluator('verify-of-another-task', alive),
      await socket(live, 2),
      // Another home's, and nobody's, whatever their names are.
      await sandbox(ended, 1, `${tag}0`),
      await container(`${ended}-2`, {}),
      await container(`eval-${ended}-1-submit`, { 'bench.evaluation': `${ended}-1-submit`, 'bench.maker': dead }),
      await volume(`${ended}-2-net`, { 'bench.run': ended }),
    ];
    const before = await lastEvent();
    await reapOnce();
    expect(await left(doomed)).toEqual([]);
    expect(await left(kept)).toEqual(kept);
    const events = await eventsSince(before);
    expect(events.map(({ runId }) => runId).sort()).toEqual([ended, ended, ended, live, live, live, null, null].sort());
    expect(events.map(({ detail }) => detail)).toContain(
      `sandbox ${live}-1 on docker was removed: its run moved to container 2`,
    );
    await reapOnce();
    expect(await eventsSince(before)).toHaveLength(events.length);
  });

  it('is removed from this host: folders and mounted disks of runs, folders of evaluations', async () => {
    const root = process.getuid?.() === 0;
    const dirs = { gone: layout.run(ended, 7).dir, half: layout.run(unknown, 1).dir, stays: layout.run(live, 2).dir };
    for (const dir of Object.values(dirs)) await mkdir(join(dir, 'control'), { recursive: true });
    if (root) for (const dir of [dirs.gone, dirs.stays]) await ensureDisk(dir, 16);
    const scratch = async (name: string, note: object | null): Promise<string> => {
      const dir = join(layout.scratch, `bench-eval-${name}`);
      await mkdir(dir, { recursive: true });
      if (note !== null)
        await writeFile(`${dir}.maker`, JSON.stringify({ home: layout.home, until: Number(later), ...note }));
      return dir;
    };
    const doomed = [
      dirs.gone,
      dirs.half,
      await scratch(`${live}-1-validate`, { maker: dead }),
      await scratch(`${ended}-1-submit`, { maker: alive }),
      await scratch('noted-by-nobody', null),
    ];
    const kept = [
      dirs.stays,
      await scratch(`${live}-2-validate`, { maker: alive }),
      await scratch('verify', { maker: alive }),
    ];
    // In everybody's temporary directory: only what is said to be ours.
    const foreign = join(tmpdir(), `bench-eval-${newRunId()}-1-submit`);
    await mkdir(foreign);
    kept.push(foreign);
    const before = await lastEvent();
    await reapOnce();
    expect(doomed.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => existsSync(path))).toEqual(kept);
    expect((await readdir(layout.scratch)).filter((name) => name.endsWith('.maker'))).toHaveLength(2);
    expect(existsSync(join(dirs.stays, 'disk', 'home', 'workspace'))).toBe(root);
    expect((await eventsSince(before)).length).toBe(doomed.length + (root ? 1 : 0));
    await rm(foreign, { recursive: true });
  });
});

describe('an installation that nobody waits for any more', () => {
  const HOUR_MS = 3_600_000;
  const installation = async (name: string, command: string): Promise<Docker.Container> => {
    const full = `bench-layer-${tag}-${name}`;
    planted.push(full);
    return docker.createContainer({
      ...{ name: full, Image: image, Entrypoint: ['/bin/sh', '-c', command], Labels: { 'bench.layer': 'agent' } },
      HostConfig: { NetworkMode: 'none', Mounts: [{ Type: 'volume', Target: '/bench-layer', Source: '' }] },
    });
  };
  const later = (ms: number) => createDockerLeftovers({ docker, homeTag: tag, now: () => Date.now() + ms });
  /** Others may build layers on this engine meanwhile. */
  const ofOurs = async (ms: number) =>
    (await later(ms).find()).filter(({ what, name }) => what === 'installation' && name.includes(tag));

  it('is removed with its volume an hour after its end, whoever began it; one that runs goes on', async () => {
    const ended = await installation('ended', 'exit 1');
    await ended.start();
    await ended.wait();
    await installation('never-ran', 'true');
    const running = await installation('running', 'sleep 3600');
    await running.start();
    const volume = (await ended.inspect()).Mounts[0]?.Name ?? '';
    // Containers of an image that was made of one have its label, too.
    const inherited = { 'bench.layer': 'agent' };
    await container(`${live}-2-of-a-layer`, { ...inherited, 'bench.home': `${tag}0`, 'bench.run': live });
    await container('of-a-layer-by-hand', inherited);

    expect(await ofOurs(0)).toEqual([]);
    const found = await ofOurs(HOUR_MS + 1000);
    expect(found.map(({ name }) => name).sort()).toEqual([`bench-layer-${tag}-ended`, `bench-layer-${tag}-never-ran`]);
    expect(found.map(({ runId, abandoned }) => ({ runId, abandoned }))).toEqual(
      found.map(() => ({ runId: null, abandoned: true })),
    );
    expect(await Promise.all(found.map((one) => one.remove()))).toEqual([true, true]);
    expect(await Promise.all(found.map((one) => one.remove()))).toEqual([false, false]);
    expect(await left([...found.map(({ name }) => name), volume])).toEqual([]);
    expect((await running.inspect()).State.Running).toBe(true);
  });
});
