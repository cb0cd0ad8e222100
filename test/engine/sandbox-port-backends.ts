import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectEngine, probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import { createDiskRoom, type DiskRoom } from '../../backends/docker/disk-room.js';
import { createDockerSandbox } from '../../backends/docker/sandbox.js';
import { unmountDisk } from '../../backends/docker/workspace-disk.js';
import { isAlive, processesOfUser } from '../../backends/local/host-processes.js';
import { readSupervisor, uidOfRun } from '../../backends/local/run-world.js';
import { createLocalSandbox } from '../../backends/local/sandbox.js';
import { homeLayout, type HomeLayout } from '../../domain/home/layout.js';
import type { SandboxPort, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { killContainer } from '../chaos/kill-service.js';
import { engineOverTcp } from '../setup/engine-proxy.js';
import { testPodman } from '../setup/podman-engine.js';
import { type Command, handOverAndWait, handOverByExec } from './sandbox-port-client.js';

const assetsRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** A backend under test, in a home of its own. */
export interface BackendUnderTest {
  sandbox: SandboxPort;
  /** The same home seen by another worker. */
  another: () => SandboxPort;
  layout: HomeLayout;
  /** Of its sandboxes; of no use to those that have no disks. */
  room: DiskRoom;
  starterDir: string;
  /** The agent has a user of its own, apart from the worker's. */
  separateUser: boolean;
  /** The control directory as the agent would have to name it. */
  controlInside: (ref: SandboxRef) => string;
  /** End the sandbox from outside, as a crash would: every process of it dies at once. */
  crash: (ref: SandboxRef) => Promise<void>;
  /** End it as a reboot of the host would: afterwards nothing of it runs or is mounted. */
  reboot: (ref: SandboxRef) => Promise<void>;
  /** A worker of its own hands a command over and waits for it. */
  handOver: (ref: SandboxRef, command: Command) => Promise<ChildProcess>;
  /** Take the sandbox away altogether, behind the adapter's back. */
  lose: (ref: SandboxRef) => Promise<void>;
  /** What is left of it: processes, containers, directories. */
  traces: (ref: SandboxRef) => Promise<string[]>;
  close: () => Promise<void>;
}

async function makeHome(parent: string) {
  const dir = await mkdtemp(join(parent, 'bench-sandbox-test-'));
  // Long enough that a socket in it has no address of its own.
  const home = join(dir, 'a-home-with-a-name-that-is-long-enough-for-any-socket-path-to-be-cut-off');
  const starterDir = join(dir, 'starter');
  await mkdir(home);
  await mkdir(join(starterDir, 'data'), { recursive: true });
  await writeFile(join(starterDir, 'strategy.py'), 'print("starter")\n');
  await writeFile(join(starterDir, 'data', 'rows.csv'), '1,2\n');
  return {
    layout: homeLayout(home),
    starterDir,
    remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

const directories = async (layout: HomeLayout, ref: SandboxRef): Promise<string[]> =>
  existsSync(layout.run(ref.runId, ref.epoch).dir) ? await readdir(layout.run(ref.runId, ref.epoch).dir) : [];

/** `parent`: where the home is made. */
export const dockerUnderTest = (parent?: string): Promise<BackendUnderTest> =>
  engineUnderTest(engineAddress('docker', {}), parent);

export const podmanUnderTest = (parent?: string): Promise<BackendUnderTest> => engineUnderTest(testPodman(), parent);

/** The same engine as one that is reached over the network and shares no directory with us. */
export async function remoteUnderTest(): Promise<BackendUnderTest> {
  const proxy = await engineOverTcp(engineAddress('docker', {}).socketPath ?? '');
  const backend = await engineUnderTest(engineAddress('docker', { DOCKER_HOST: proxy.url }));
  return {
    ...backend,
    close: async () => {
      await backend.close();
      await proxy.close();
    },
  };
}

async function engineUnderTest(address: EngineAddress, parent = tmpdir()): Promise<BackendUnderTest> {
  const engine = await probeEngine(address);
  if (engine.kind !== 'ok') throw new Error(`${engine.reason}: ${engine.remedy}`);
  const { docker } = engine;
  const donor = address.backend === 'podman' ? connectEngine(engineAddress('docker', {})) : undefined;
  const image = await ensureImage(docker, 'agent', { assetsRoot, donor });
  const { layout, starterDir, remove } = await makeHome(parent);
  const homeTag = `test${process.pid}`;
  const { backend, sharesFiles } = address;
  const room = createDiskRoom(layout);
  const shared = { docker, backend, sharesFiles, room, layout, homeTag };
  const make = () => createDockerSandbox({ ...shared, image: async () => image });
  const sandbox = make();
  const nameOf = ({ runId, epoch }: SandboxRef) => `bench-${homeTag}-${runId}-${epoch}`;
  const containerOf = (ref: SandboxRef) => docker.getContainer(nameOf(ref));
  return {
    sandbox,
    another: make,
    layout,
    room,
    starterDir,
    separateUser: true,
    controlInside: () => '/run/bench/control',
    // Not waiting for its end: whoever waits for a command in it starts it again at once.
    crash: async (ref) => {
      if (backend === 'docker') return void (await containerOf(ref).kill());
      // Podman's own kill waits for the end, which it misses if the container restarts at once.
      await killContainer(containerOf(ref));
    },
    reboot: async (ref) => {
      await containerOf(ref).kill();
      await containerOf(ref).wait();
      await unmountDisk(layout.run(ref.runId, ref.epoch).dir);
    },
    handOver: (ref, command) =>
      sharesFiles
        ? handOverAndWait(layout.run(ref.runId, ref.epoch).control, command)
        : handOverByExec(address.url, nameOf(ref), command),
    lose: (ref) => containerOf(ref).remove({ force: true, v: true }),
    traces: async (ref) => {
      const containers = await docker.listContainers({ all: true, filters: { label: [`bench.run=${ref.runId}`] } });
      return [...containers.map((container) => container.Id), ...(await directories(layout, ref))];
    },
    close: async () => {
      for (const ref of await sandbox.list()) await sandbox.stop(ref);
      await remove();
    },
  };
}

export async function localUnderTest(): Promise<BackendUnderTest> {
  const root = process.getuid?.() === 0;
  // Where the agent's user cannot go: root's own directory.
  const { layout, starterDir, remove } = await makeHome(root ? '/root' : tmpdir());
  const make = () => createLocalSandbox({ layout, assetsRoot });
  const sandbox = make();
  const controlOf = (ref: SandboxRef) => layout.run(ref.runId, ref.epoch).control;
  const crash = async (ref: SandboxRef) => {
    const record = await readSupervisor(controlOf(ref));
    if (record === null) throw new Error('no supervisor is recorded');
    process.kill(record.pid, 'SIGKILL');
    while (await isAlive(record.pid, record.started)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    sandbox,
    another: make,
    layout,
    room: createDiskRoom(layout),
    starterDir,
    separateUser: root,
    controlInside: controlOf,
    crash,
    reboot: crash,
    handOver: (ref, command) => handOverAndWait(controlOf(ref), command),
    lose: async (ref) => {
      await crash(ref);
      const place = JSON.parse(await readFile(join(controlOf(ref), 'place.json'), 'utf8')) as { workspace: string };
      await rm(place.workspace, { recursive: true });
    },
    traces: async (ref) => {
      const uid = uidOfRun(layout, ref);
      const processes = uid === null ? [] : await processesOfUser(uid);
      return [...processes.map((pid) => `process ${pid}`), ...(await directories(layout, ref))];
    },
    close: async () => {
      for (const ref of await sandbox.list()) await sandbox.stop(ref);
      await remove();
    },
  };
}
