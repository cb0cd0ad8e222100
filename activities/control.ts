import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ControlActivities, StartContainerArgs } from '../domain/model/messages.js';
import { FAILURE, SIGNAL } from '../domain/model/messages.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID, runWorkflowId } from '../domain/run/queues.js';
import type { RunStore } from '../domain/ports/run-store.js';

export function controlActivities(ports: {
  store: RunStore;
  temporal: Client;
  /** Starts a container if this worker is on the host; others are left to the host's queue. */
  startHere?: (hostId: string, args: StartContainerArgs) => Promise<{ started: boolean; lost?: string }>;
}): ControlActivities {
  const { store, temporal } = ports;
  const signalPool = async (signal: string, ...signalArgs: object[]): Promise<void> => {
    await temporal.workflow.signalWithStart('gpuPool', {
      workflowId: GPU_POOL_WORKFLOW_ID,
      taskQueue: CONTROL_QUEUE,
      signal,
      signalArgs,
    });
  };
  return {
    loadShard: ({ batchId, shard }) => store.loadShard(batchId, shard),
    startBatch: ({ batchId }) => store.startBatch(batchId),
    batchState: ({ batchId }) => store.batchState(batchId),
    nextAttempts: async ({ batchId }) => ({ added: await store.nextAttempts(batchId) }),
    finishBatch: ({ batchId, cancelled }) => store.finishBatch(batchId, cancelled ? 'cancelled' : 'ended'),
    finishRun: ({ runId, end }) => store.finishRun(runId, end),
    finishRuns: ({ runIds, end }) => store.finishRuns(runIds, end),
    openNodes: ({ runId }) => store.openNodes(runId),
    settleNode: ({ nodeRunId }) => store.settleNode(nodeRunId),
    chooseNode: ({ runId }) => store.chooseNode(runId),
    closeTree: ({ runId }) => store.closeTree(runId),
    runEnded: ({ runId }) => store.runEnded(runId),
    shardEnded: async ({ batchId, shard }) => (await store.loadShard(batchId, shard)).length === 0,
    waitingForGpu: ({ runId }) => store.setStatus(runId, 'waiting_gpu'),

    async placeRun({ start, ...args }) {
      const placed = await store.placeRun(args);
      if (placed.kind === 'placed') {
        const { hostId, epoch } = placed;
        // A later epoch restores more steps than the workflow requested.
        if (start === undefined || epoch !== args.epoch || ports.startHere === undefined) return { hostId, epoch };
        return { hostId, epoch, ...(await ports.startHere(hostId, { runId: args.runId, epoch, ...start })) };
      }
      throw ApplicationFailure.create({
        // Another run may use the GPU meanwhile, or this host would never be empty.
        ...(args.hostId === undefined ? { type: FAILURE.noHost } : { type: FAILURE.hostRefuses, nonRetryable: true }),
        message: `run ${args.runId} waits: ${placed.reason}`,
        category: ApplicationFailureCategory.BENIGN,
      });
    },
    judgeHost: (args) => store.judgeHost(args),

    requestLease: (request) => signalPool(SIGNAL.requestLease, request),
    recordLease: ({ runId, lease }) => store.recordLease({ runId, ...lease }),
    async abandonLease({ runId, lease }) {
      await store.abandonLease({ runId, ...lease });
      await signalPool(SIGNAL.abandonLease, { runId, token: lease.token });
    },
    async releaseLease({ runId, token, hostsChanged }) {
      if (token !== null) await store.releaseLease(runId, token);
      if (hostsChanged === true) await signalPool(SIGNAL.hostsChanged);
      await signalPool(SIGNAL.releaseLease, { runId, token });
    },
    openLeases: () => store.openLeases(),
    async poolRound({ runIds, lostTokens }) {
      const [closed, hosts, states, lost] = await Promise.all([
        Promise.all(runIds.map((runId) => isClosed(temporal, runId))),
        store.gpuHosts(),
        store.hostStates(),
        lostTokens.length === 0 ? [] : store.unreleased(lostTokens),
      ]);
      return {
        closed: runIds.filter((_, i) => closed[i]),
        hosts,
        lostTokens: lost,
        liveHosts: states.live,
        removedHosts: states.removed,
      };
    },
    async revokeLease({ runId, lease, reason }) {
      await store.revokeLease({ runId, ...lease });
      const detail =
        reason === 'closed'
          ? `the run's workflow is closed: its GPUs ${lease.devices.join(', ')} on ${lease.hostId} are revoked`
          : `the run kept GPUs ${lease.devices.join(', ')} on ${lease.hostId} past its limit: they are revoked`;
      await store.addEvent({ runId, batchId: null, kind: 'lease_revoked', key: `lease-${lease.token}`, detail });
    },
  };
}

async function isClosed(temporal: Client, runId: string): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(runWorkflowId(runId)).describe();
    return status.name !== 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
