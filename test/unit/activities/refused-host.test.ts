import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { controlActivities } from '../../../activities/control.js';
import { FAILURE } from '../../../domain/model/messages.js';
import type { RunStore } from '../../../domain/ports/run-store.js';

function control() {
  const told: string[] = [];
  const store = {
    placeRun: async () => ({ kind: 'none', reason: 'it is drained' }),
    releaseLease: async (_: string, token: number) => void told.push(`row ${token}`),
  } as unknown as RunStore;
  const workflow = { signalWithStart: async (_: string, { signal }: { signal: string }) => void told.push(signal) };
  return { told, activities: controlActivities({ store, temporal: { workflow } as unknown as Client }) };
}

it('a run that holds GPUs of a host that takes none is told so; one without waits', async () => {
  const { activities } = control();
  const [placed, leased] = [
    { runId: 'r', epoch: 1 },
    { runId: 'r', epoch: 1, hostId: 'h' },
  ];
  await expect(activities.placeRun(placed)).rejects.toMatchObject({ type: FAILURE.noHost, nonRetryable: false });
  await expect(activities.placeRun(leased)).rejects.toMatchObject({ type: FAILURE.hostRefuses, nonRetryable: true });
});

it('GPUs that are given back since their host takes no runs are leased only after a look at the hosts', async () => {
  const { activities, told } = control();
  await activities.releaseLease({ runId: 'r', token: 3, hostsChanged: true });
  expect(told).toEqual(['row 3', 'hostsChanged', 'releaseLease']);
});
