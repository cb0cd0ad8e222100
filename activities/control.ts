import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ControlActivities } from '../domain/messages.js';
import { SIGNAL } from '../domain/messages.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID, runWorkflowId } from '../domain/queues.js';
import type { RunStore } from '../domain/ports/run-store.js';

/** Activities that touch only Postgres and Temporal. */
export function controlActivities(ports: { store: RunStore; temporal: Client }): ControlActivities {
  const { store, temporal } = ports;
  return {
    loadShard: ({ batchId, shard }) => store.loadShard(batchId, shard),
    startBatch: ({ batchId }) => store.startBatch(batchId),
    finishBatch: ({ batchId, cancelled }) => store.finishBatch(batchId, cancelled ? 'cancelled' : 'ended'),
    finishRun: ({ runId, end }) => store.finishRun(runId, end),
    runEnded: ({ runId }) => store.runEnded(runId),
    shardEnded: async ({ batchId, shard }) => (await store.loadShard(batchId, shard)).length === 0,
    waitingForGpu: ({ runId }) => store.setStatus(runId, 'waiting_gpu'),

    async requestLease(request) {
      await temporal.workflow.signalWithStart('gpuPool', {
        workflowId: GPU_POOL_WORKFLOW_ID,
        taskQueue: CONTROL_QUEUE,
        signal: SIGNAL.requestLease,
        signalArgs: [request],
      });
    },
    recordLease: ({ runId, lease }) => store.recordLease({ runId, ...lease }),
    async releaseLease({ runId, token }) {
      if (token !== null) await store.releaseLease(runId, token);
      await temporal.workflow.signalWithStart('gpuPool', {
        workflowId: GPU_POOL_WORKFLOW_ID,
        taskQueue: CONTROL_QUEUE,
        signal: SIGNAL.releaseLease,
        signalArgs: [{ runId, token }],
      });
    },
    async closedRuns({ runIds }) {
      const closed = await Promise.all(runIds.map((runId) => isClosed(temporal, runId)));
      return runIds.filter((_, i) => closed[i]);
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
