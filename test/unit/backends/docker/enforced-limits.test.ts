import { afterEach, expect, it } from 'vitest';
import { connectEngine } from '../../../../backends/docker/engine.js';
import { engineAddress } from '../../../../backends/docker/engine-address.js';
import { unenforcedLimits } from '../../../../backends/docker/enforced-limits.js';
import { StandInEngine } from '../../../setup/stand-in-engine.js';

const PODMAN = { Components: [{ Name: 'Podman Engine' }] };
const engines: StandInEngine[] = [];
afterEach(() => engines.splice(0).forEach((engine) => engine.stop()));

async function limitsOf(version: object, path: string, said: unknown): Promise<readonly string[]> {
  const engine = await new StandInEngine((_, asked) => (asked.endsWith(path) ? said : undefined), version).start();
  engines.push(engine);
  return await unenforcedLimits(connectEngine(engineAddress('podman', { BENCH_PODMAN_HOST: engine.host })));
}
/** As podman 4.3.1 says it, in part. */
const podman = (rootless: boolean, cgroupControllers: string[] | null) =>
  limitsOf(PODMAN, '/libpod/info', { host: { cgroupControllers, security: { rootless, seccompEnabled: true } } });

it('rootless podman without delegated controllers enforces no limit, whatever it says in Docker’s words', async () => {
  expect(await podman(true, [])).toEqual(['memory', 'cpus', 'processes']);
  expect(await podman(true, null)).toEqual(['memory', 'cpus', 'processes']);
});

it('rootless podman enforces what its user was delegated', async () => {
  expect(await podman(true, ['memory', 'pids'])).toEqual(['cpus']);
  expect(await podman(true, ['cpuset', 'cpu', 'io', 'memory', 'pids'])).toEqual([]);
});

it('of a podman that does not tell nothing is said', async () => {
  expect(await limitsOf(PODMAN, '/elsewhere', {})).toEqual([]);
});

it('podman as root enforces all of them', async () => {
  expect(await podman(false, ['cpuset', 'cpu', 'memory', 'pids'])).toEqual([]);
});

it('Docker says which it enforces', async () => {
  const docker = (said: object) => limitsOf({}, '/info', said);
  expect(await docker({ MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true })).toEqual([]);
  expect(await docker({ MemoryLimit: false, CpuCfsQuota: false, PidsLimit: true })).toEqual(['memory', 'cpus']);
});
