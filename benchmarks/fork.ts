/**
 * The cost of forking a run's workspace, from an archive and from a kept disk, in turns, so that
 * other load hits both: the snapshot, taken while a model thinks; then a sandbox up to its first
 * answer. Then many sandboxes from one kept disk, one per core at a time, and as many without a
 * snapshot, the engine's own share. CPU time is this process's. Milliseconds. Needs root.
 *
 *   npm run benchmark:fork -- [--mb 100,500] [--rounds 5] [--forks 64]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createFileArtifactStore } from '../backends/artifacts/file-artifact-store.js';
import { connectEngine, probeEngine } from '../backends/docker/engine.js';
import { engineAddress } from '../backends/docker/engine-address.js';
import { ensureImage } from '../backends/docker/images.js';
import { createDockerSandbox } from '../backends/docker/sandbox.js';
import { homeLayout } from '../domain/home/layout.js';
import { newRunId } from '../domain/ids.js';
import type { SandboxRef, SandboxRestore } from '../domain/ports/sandbox-port.js';
import { quantile } from '../domain/statistics/quantile.js';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '100,500' },
    rounds: { type: 'string', default: '5' },
    forks: { type: 'string', default: '64' },
  },
});
const never = new AbortController().signal;
const WORKSPACE_MB = 2_048;
const limits = { maxBytes: WORKSPACE_MB * 2 ** 20 };

const address = engineAddress('docker', {});
const engine = await probeEngine(address);
if (engine.kind !== 'ok') throw new Error(`${engine.reason}: ${engine.remedy}`);
const docker = connectEngine(address);
const home = mkdtempSync(join(tmpdir(), 'bench-fork-'));
const starterDir = join(home, 'starter');
mkdirSync(starterDir);
const image = await ensureImage(docker, 'agent', {
  assetsRoot: resolve(import.meta.dirname, '../..'),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const layout = homeLayout(home);
const homeTag = `forkbench${process.pid}`;
const sandbox = createDockerSandbox({ docker, image: () => Promise.resolve(image), layout, homeTag });
const artifacts = createFileArtifactStore(layout.artifacts);
const { disks } = sandbox;
if (disks === undefined) throw new Error('no disks are kept here: this takes root, loop devices and mkfs.ext4');

async function start(restore?: SandboxRestore): Promise<SandboxRef> {
  const ref = { runId: newRunId(), epoch: 1 };
  await sandbox.start({
    ...ref,
    starterDir,
    limits: { memoryMb: 1024, cpus: 2, pids: 200, workspaceMb: WORKSPACE_MB },
    network: 'none',
    gpuDevices: [],
    ...(restore !== undefined && { restore }),
  });
  return ref;
}

async function answer(ref: SandboxRef, script = 'true'): Promise<void> {
  const { exitCode, output } = await sandbox.run(ref, { n: 1, script, timeLimitSeconds: 600 }, never);
  if (exitCode !== 0) throw new Error(output);
}

interface Cost {
  wall: number;
  cpu: number;
}

async function costOf<T>(action: () => Promise<T>): Promise<{ cost: Cost; given: T }> {
  const [begun, before] = [performance.now(), process.resourceUsage()];
  const given = await action();
  const after = process.resourceUsage();
  const us = after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime;
  return { given, cost: { wall: performance.now() - begun, cpu: us / 1000 } };
}

const summary = (costs: Cost[]) => {
  const wall = costs.map((one) => one.wall);
  return {
    p50: quantile(wall, 0.5),
    p95: quantile(wall, 0.95),
    cpu: quantile(
      costs.map((one) => one.cpu),
      0.5,
    ),
  };
};

async function forkFrom(found: () => Promise<SandboxRestore>): Promise<Cost> {
  const { cost, given } = await costOf(async () => {
    const ref = await start(await found());
    await answer(ref, 'test -e changed');
    return ref;
  });
  await sandbox.stop(given);
  return cost;
}

async function withChanged(mb: number) {
  const origin = await start();
  // Large incompressible files, like weights and data.
  const script = `for n in $(seq 1 20); do head -c $((${mb} * 1048576 / 20)) /dev/urandom > part$n; done; touch changed`;
  await answer(origin, script);
  const costs = { archive: [] as Cost[], keep: [] as Cost[], fromArchive: [] as Cost[], fromDisk: [] as Cost[] };
  for (let round = 0; round < Number(values.rounds); round++) {
    const archived = await costOf(() => artifacts.putStream(sandbox.snapshot(origin, limits, never)));
    costs.archive.push(archived.cost);
    const disk = `${mb}-${round}`;
    const kept = await costOf(async () => await disks?.keep(origin, disk, limits));
    if (kept.given === null) throw new Error('the disk could not be kept');
    costs.keep.push(kept.cost);
    const { sha256, bytes } = archived.given;
    const fromArchive = async () => {
      // Read once to be checked, like a start from an archive.
      if ((await artifacts.check(sha256)) === null) throw new Error('the archive is damaged');
      return { bytes, open: () => artifacts.open(sha256) };
    };
    costs.fromArchive.push(await forkFrom(fromArchive));
    costs.fromDisk.push(await forkFrom(() => Promise.resolve({ disk })));
  }
  await sandbox.stop(origin);
  const ratioOf = (slow: Cost[], fast: Cost[]) => summary(slow).p50 / summary(fast).p50;
  const row = {
    mb,
    snapshotByArchive: summary(costs.archive),
    snapshotByDisk: summary(costs.keep),
    forkFromArchive: summary(costs.fromArchive),
    forkFromDisk: summary(costs.fromDisk),
    snapshotRatio: ratioOf(costs.archive, costs.keep),
    forkRatio: ratioOf(costs.fromArchive, costs.fromDisk),
  };
  process.stderr.write(
    `  ${mb} MB changed: snapshot ${row.snapshotByArchive.p50.toFixed(0)} → ${row.snapshotByDisk.p50.toFixed(0)}, ` +
      `fork ${row.forkFromArchive.p50.toFixed(0)} → ${row.forkFromDisk.p50.toFixed(0)} ms (p50)\n`,
  );
  return row;
}

async function many(count: number, restore?: SandboxRestore): Promise<number> {
  const made: SandboxRef[] = [];
  const { cost } = await costOf(async () => {
    let begun = 0;
    const worker = async () => {
      while (begun < count) {
        begun++;
        const ref = await start(restore);
        made.push(ref);
        await answer(ref);
      }
    };
    await Promise.all(Array.from({ length: cpus().length }, worker));
  });
  for (const ref of made) await sandbox.stop(ref);
  return cost.wall;
}

try {
  const load = loadavg()[0] ?? NaN;
  process.stderr.write(`\nmilliseconds, at a load of ${load.toFixed(1)}\n`);
  const sizes = values.mb.split(',').map(Number);
  const changed: Awaited<ReturnType<typeof withChanged>>[] = [];
  for (const mb of sizes) changed.push(await withChanged(mb));
  const forks = Number(values.forks);
  const plain = await many(forks);
  const fromOneDisk = await many(forks, { disk: `${sizes[0]}-0` });
  process.stderr.write(
    `  ${forks} forks of one: ${fromOneDisk.toFixed(0)} ms; as many without a snapshot: ${plain.toFixed(0)} ms\n`,
  );
  const together = { forks, mb: sizes[0], fromOneDisk, withoutSnapshot: plain };
  process.stdout.write(`${JSON.stringify({ benchmark: 'fork', load, changed, together })}\n`);
} finally {
  for (const ref of await sandbox.list()) await sandbox.stop(ref);
  rmSync(home, { recursive: true, force: true });
}
