import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { SIGNAL, type ControlActivities, type HostActivities, type LeaseRequest } from '../domain/messages.js';
import { runWorkflowId } from '../domain/queues.js';
import { controlOptions, reclaimOptions } from './activity-options.js';
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
    if (!woken) await reclaimFromClosed(state);
  }
}

/**
 * Take back what closed runs hold. That a run is closed does not prove its GPUs idle: its containers go first. While they
 * cannot be removed, the lease stays where it is, and the next round tries again. The release comes back as a signal.
 */
async function reclaimFromClosed(state: GpuPoolState): Promise<void> {
  const closed = new Set(await control.closedRuns({ runIds: state.held.map((holder) => holder.runId) }));
  const gone = state.held.filter((holder) => closed.has(holder.runId));
  await Promise.all(
    gone.map(async ({ runId, lease }) => {
      const host = proxyActivities<HostActivities>(reclaimOptions(lease.hostId));
      try {
        await host.stopContainer({ runId });
      } catch (error) {
        log.warn('the containers of a closed run could not be removed; its GPUs are not handed on', {
          runId,
          hostId: lease.hostId,
          error: String(error),
        });
        return;
      }
      await control.releaseLease({ runId, token: lease.token });
    }),
  );
}

const LIVENESS_MS = 10_000;
