import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress } from '../../backends/docker/engine-address.js';
import { tail } from './docker-engine.js';
import { notTested } from './not-tested.js';
import { installPackages, onPath } from './packages.js';

const PACKAGES = ['podman', 'runc'];
const START_LIMIT_MS = 180_000;

/** Of the tests alone: leaves the machine's podman, configuration and images unchanged. */
const RUN = '/run/bench-test-podman';
const STORE = '/var/lib/bench-test-podman';
const SOCKET = join(RUN, 'podman.sock');

/** BENCH_PODMAN_HOST, else the service that ensurePodmanEngine starts. */
export const testPodman = (): EngineAddress =>
  engineAddress('podman', { BENCH_PODMAN_HOST: process.env['BENCH_PODMAN_HOST'] ?? `unix://${SOCKET}` });

/**
 * As root on Debian it installs podman and starts a service that stays; else tests are skipped for
 * the reported reason.
 */
export async function ensurePodmanEngine(say: (line: string) => void): Promise<void> {
  const without = (why: string): void => notTested('podman', why);
  if ((await probeEngine(testPodman())).kind === 'ok') return;
  if (process.env['BENCH_PODMAN_HOST'] !== undefined)
    return without('BENCH_PODMAN_HOST is set, and nothing answers there.');
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return without('not being root on Linux, this set-up cannot start its service.');
  try {
    if (onPath('podman') === null || (onPath('runc') === null && onPath('crun') === null)) {
      if (onPath('apt-get') === null) return without('it is not installed, and this is no Debian.');
      await installPackages(PACKAGES, say);
    }
    await startService(say);
  } catch (error) {
    without((error as Error).message);
  }
}

async function startService(say: (line: string) => void): Promise<void> {
  for (const dir of [RUN, STORE]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  const containers = join(RUN, 'containers.conf');
  const storage = join(RUN, 'storage.conf');
  const runtime = onPath('runc') === null ? 'crun' : 'runc';
  writeFileSync(containers, `[engine]\nruntime = "${runtime}"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`);
  writeFileSync(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${STORE}/storage"\nrunroot = "${RUN}/storage"\n`);
  const log = join(RUN, 'service.log');
  say(`STARTING podman's service for the tests, as root, in the background; it stays after them. Its log: ${log}`);
  const output = openSync(log, 'a');
  const child = spawn('podman', ['system', 'service', '--time=0', `unix://${SOCKET}`], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: '/',
    env: { ...process.env, CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage },
  });
  child.on('error', () => undefined);
  child.unref();
  const deadline = Date.now() + START_LIMIT_MS;
  while ((await probeEngine(testPodman())).kind !== 'ok') {
    if (Date.now() > deadline)
      throw new Error(`its service was started, but does not answer: ${existsSync(log) ? tail(log) : ''}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
