import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { SIGNAL, type ControlActivities, type LeaseRequest } from '../domain/messages.js';
import { runWorkflowId } from '../domain/queues.js';
import { controlOptions } from './activity-options.js';
import { emptyPool, grant, registerHost, release, request, waitingCount, type GpuPoolState } from './gpu-pool-state.js';

const control = proxyActivities<ControlActivities>(controlOptions);

export const registerHostSignal = defineSignal<[{ hostId: string; devices: string[] }]>(SIGNAL.registerHost);
export const requestLeaseSignal = defineSignal<[LeaseRequest]>(SIGNAL.requestLease);
export const releaseLeaseSignal = defineSignal<[{ runId: string; token: number | null }]>(SIGNAL.releaseLease);

/** The semaphore: stands alone, one per namespace, grants by signal. */
export async function gpuPool(carried?: GpuPoolState): Promise<void> {
  const state = carried ?? emptyPool();
  let changed = true;
  setHandler(registerHostSignal, (host) => {
    registerHost(state, host);
    changed = true;
  });
  setHandler(requestLeaseSignal, (wanted) => {
    request(state, wanted);
    changed = true;
  });
  setHandler(releaseLeaseSignal, ({ runId, token }) => {
    release(state, runId, token);
    changed = true;
  });

  for (;;) {
    while (changed) {
      changed = false;
      for (const { runId, lease } of grant(state)) {
        try {
          await getExternalWorkflowHandle(runWorkflowId(runId)).signal(SIGNAL.leaseGranted, lease);
        } catch {
          // The run closed while it waited: what it was given goes to the next.
          release(state, runId, lease.token);
          changed = true;
        }
      }
    }
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      if (!changed) await continueAsNew<typeof gpuPool>(state);
      continue;
    }
    // Somebody waits: look now and then whether a holder is gone without giving back.
    const contended = waitingCount(state) > 0 && state.held.length > 0;
    const woken = contended ? await condition(() => changed, LIVENESS_MS) : (await condition(() => changed), true);
    if (!woken) {
      const closed = await control.closedRuns({ runIds: state.held.map((h) => h.runId) });
      for (const runId of closed) release(state, runId, null);
      changed ||= closed.length > 0;
    }
  }
}

const LIVENESS_MS = 10_000;
