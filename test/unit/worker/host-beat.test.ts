import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Backends } from '../../../domain/ports/backends.js';
import { STAYS } from '../../../domain/ports/departure.js';
import type { HostRegistration } from '../../../domain/ports/record/hosts.js';
import type { GpusNow } from '../../../backends/gpus/inventory.js';
import { hostBeat } from '../../../worker/host-beat.js';
import { workerSettings } from '../../../operations/home/worker-settings.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'bench-test-beat-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const nothing = { sandbox: { list: async () => [] }, leftovers: { find: async () => [] } };
const EMPTY = { local: nothing, docker: nothing, podman: nothing } as unknown as Backends;

/** A host whose GPUs are as the test says, and of which it holds number 0. */
function host() {
  const registered: HostRegistration[] = [];
  const events: string[] = [];
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const gpus: GpusNow = { ids: ['0', '1'], busy: [], unknown: null };
  const nowhere = `unix://${join(home, 'no-engine')}`;
  const departure = { ...STAYS };
  const temporal = { answers: true };
  const moved: number[] = [];
  const beat = hostBeat({
    departure,
    reachesTemporal: async () => temporal.answers,
    namespace: () => ({ id: 'one', at: "namespace 'default' at somewhere" }),
    settings: workerSettings({
      ...{ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1', BENCH_HOME: home },
      ...{ DOCKER_HOST: nowhere, BENCH_PODMAN_HOST: nowhere },
    }),
    ...{ hostId: 'h', homeId: 'h', log, backends: EMPTY },
    gpus: { ids: gpus.ids, now: async () => ({ ...gpus }) },
    store: {
      heldDevices: async () => ['0'],
      registerHost: async (one) => {
        registered.push(one);
        return { lost: false, formerBackends: [], abandoned: moved, watched: [] };
      },
      hostReturned: async () => void events.push('returned'),
      runStates: async () => new Map(),
      addEvent: async ({ kind, detail }) => void events.push(`${kind}: ${detail}`),
    },
  });
  return { beat, gpus, log, events, departure, moved, temporal, registered: () => registered.at(-1) };
}

it('GPUs on which others compute are busy, those that runs hold are not', async () => {
  const { beat, gpus, registered } = host();
  gpus.busy = ['0', '1'];
  await beat();
  expect(registered()).toMatchObject({ gpus: ['0', '1'], busyGpus: ['1'] });
});

it('while nobody can look at the GPUs none is offered, held or not; that is said when it begins and when it ends', async () => {
  const { beat, gpus, log, events, registered } = host();
  await beat();
  Object.assign(gpus, { busy: ['0', '1'], unknown: 'no driver' });
  for (let n = 0; n < 3; n++) await beat();
  expect(registered()).toMatchObject({ gpus: ['0', '1'], busyGpus: ['0', '1'] });
  expect(log.error).toHaveBeenCalledOnce();
  Object.assign(gpus, { busy: [], unknown: null });
  for (let n = 0; n < 3; n++) await beat();
  expect(registered()).toMatchObject({ busyGpus: [] });
  expect(log.info).toHaveBeenCalledOnce();
  expect(events).toEqual([
    'gpu_driver_failed: nvidia-smi fails on host h, which leases no GPU until it answers: no driver',
    'gpu_driver_recovered: nvidia-smi answers again on host h: its free GPUs can be leased',
  ]);
});

it('what is left of runs that moved is removed, but for a host that leaves: they may still be kept from there', async () => {
  const { beat, departure, moved, log } = host();
  moved.push(7);
  departure.begun = true;
  await beat();
  expect(log.warn).not.toHaveBeenCalled();
  departure.begun = false;
  await beat();
  expect(log.warn).toHaveBeenCalled();
});

it('a driver that never told of any GPU is said in the log alone', async () => {
  const { beat, gpus, log, events } = host();
  Object.assign(gpus, { ids: [], unknown: 'no driver' });
  for (let n = 0; n < 3; n++) await beat();
  expect(log.error).toHaveBeenCalledOnce();
  Object.assign(gpus, { ids: ['0', '1'], unknown: null });
  await beat();
  expect(log.info).toHaveBeenCalledOnce();
  expect(events).toEqual([]);
});

it('a host that does not reach Temporal says so, and is back for its former runs only when it does', async () => {
  const { beat, moved, events, temporal, registered } = host();
  moved.push(7);
  temporal.answers = false;
  await beat();
  expect(registered()).toMatchObject({ cutOff: true });
  expect(events).toEqual([]);
  temporal.answers = true;
  await beat();
  expect(registered()).toMatchObject({ cutOff: false });
  expect(events).toEqual(['returned']);
});
