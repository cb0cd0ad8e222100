import { availableParallelism } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { workerSettings } from '../../../operations/home/worker-settings.js';
import { withAdmittedRuns } from '../../../worker/admitted-runs.js';
import { StandInEngine } from '../../setup/stand-in-engine.js';

const engines: StandInEngine[] = [];
afterEach(() => engines.splice(0).forEach((engine) => engine.stop()));
const NOWHERE = 'unix:///nowhere/engine.sock';

async function engine(limits: boolean): Promise<string> {
  const said = { MemoryLimit: limits, CpuCfsQuota: limits, PidsLimit: limits };
  const started = await new StandInEngine((_, path) => (path.endsWith('/info') ? said : undefined)).start();
  engines.push(started);
  return started.host;
}

async function slots(env: Record<string, string>): Promise<{ slots: number; warned: number }> {
  const whole = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1', ...env };
  const log = { warn: vi.fn() };
  const settings = await withAdmittedRuns(workerSettings(whole), whole, log);
  return { slots: settings.slots, warned: log.warn.mock.calls.length };
}

it('a host whose only engine limits nothing takes a run per CPU, and says so', async () => {
  const env = { DOCKER_HOST: NOWHERE, BENCH_PODMAN_HOST: await engine(false) };
  expect(await slots(env)).toEqual({ slots: Math.min(64, availableParallelism()), warned: 1 });
  expect((await slots({ ...env, BENCH_SLOTS: '40' })).slots).toBe(40);
});

it('a host with an engine that limits memory, or with none, takes what it always takes', async () => {
  expect(await slots({ DOCKER_HOST: await engine(true), BENCH_PODMAN_HOST: await engine(false) })).toMatchObject({
    slots: 64,
  });
  expect(await slots({ DOCKER_HOST: NOWHERE, BENCH_PODMAN_HOST: NOWHERE })).toEqual({ slots: 64, warned: 0 });
});
