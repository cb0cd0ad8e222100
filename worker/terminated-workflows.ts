import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Database } from '../db/index.js';
import type { BatchLifecycle } from '../domain/ports/record/batch-lifecycle.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import { startRunWorkflow } from '../temporal/start-run.js';
import { SIGNAL } from '../domain/messages.js';
import { batchWorkflowId, CONTROL_QUEUE } from '../domain/queues.js';
import type { Logger } from './logger.js';

/** How far back to look for workflows terminated while no worker ran. */
const LOOK_BACK_MS = 24 * 3_600_000;
/** Of closed workflows, lists lag behind. */
const OVERLAP_MS = 10 * 60_000;

interface Ports {
  client: Client;
  store: BatchLifecycle & RunDefinitions & EventLog;
  queries: Pick<Database['queries'], 'findRun' | 'findBatch' | 'showRun'>;
  log: Pick<Logger, 'info'>;
}

/**
 * A workflow terminated in Temporal notifies nobody, and its run or batch would stall. Restarts those whose rows have not ended, with
 * an event.
 */
export function terminatedWorkflows({ client, store, queries, log }: Ports): () => Promise<void> {
  let lookFrom = Date.now() - LOOK_BACK_MS;
  return async () => {
    const began = Date.now();
    const query = `ExecutionStatus = 'Terminated' AND CloseTime > '${new Date(lookFrom).toISOString()}'`;
    let open = 0;
    for await (const terminated of client.workflow.list({ query })) {
      const [, kind, id = '', part] = /^(run|batch)\/([^/]+)(\/shard-\d+)?$/.exec(terminated.workflowId) ?? [];
      if (kind === undefined || !(await isLatest(client, terminated))) continue;
      const again = kind === 'run' ? await restartRun(id) : await restartBatch(id, part !== undefined);
      if (again === 'later') open += 1;
      if (again === null || again === 'later') continue;
      const subject = kind === 'run' ? { runId: id, batchId: null } : { runId: null, batchId: id };
      const detail = `workflow ${terminated.workflowId} was terminated in Temporal${again}`;
      await store.addEvent({ ...subject, kind: 'workflow_terminated', key: `terminated-${terminated.runId}`, detail });
      log.info({ workflowId: terminated.workflowId }, detail);
    }
    // Find those that could not be restarted in the next round.
    if (open === 0) lookFrom = began - OVERLAP_MS;
  };

  async function restartRun(runId: string): Promise<string | null> {
    const run = await queries.findRun(runId);
    if (run.status === 'ended') return null;
    const ticket = await store.ticket(runId);
    if (ticket === null) return null;
    await startRunWorkflow(client, ticket);
    return '; it was restarted, and the run continues from its record';
  }

  async function restartBatch(batchId: string, isShard: boolean): Promise<string | null> {
    const { status } = await queries.findBatch(batchId);
    if (status === 'ended' || status === 'cancelled') return null;
    await client.workflow.signalWithStart('batch', {
      workflowId: batchWorkflowId(batchId),
      taskQueue: CONTROL_QUEUE,
      args: [{ batchId }],
      signal: SIGNAL.batchChanged,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    return isShard ? '; its batch restarts its unfinished runs when the other shards are over' : '; it was restarted';
  }
}

async function isLatest(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<boolean> {
  return (await client.workflow.getHandle(workflowId).describe()).runId === runId;
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}
