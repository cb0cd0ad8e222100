import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Database } from '../db/index.js';
import type { BatchLifecycle } from '../domain/ports/record/batch-lifecycle.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import { startRunWorkflow } from '../temporal/start-run.js';
import { SIGNAL } from '../domain/messages.js';
import { agentLoopWorkflowId, batchWorkflowId, CONTROL_QUEUE } from '../domain/queues.js';
import type { Logger } from './logger.js';

/** What was terminated while no worker ran is looked for so far back. */
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
 * A workflow that somebody terminated in Temporal tells nobody: its run or batch would stand still until all else of the batch is over.
 * Those whose rows have not ended are started again, and an event tells of it.
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
    // Those that could not be started yet are to be found again.
    if (open === 0) lookFrom = began - OVERLAP_MS;
  };

  async function restartRun(runId: string): Promise<string | null> {
    const run = await queries.findRun(runId);
    if (run.status === 'ended') return null;
    // It was told to end when its parent was; a second one cannot begin beside it.
    if (await isRunning(client, agentLoopWorkflowId(runId))) return 'later';
    const ticket = await store.ticket(runId);
    if (ticket === null) return null;
    await startRunWorkflow(client, ticket);
    return '; it was started again, and the run goes on from its record';
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
    return isShard ? '; its batch starts what is left of it when its other shards are over' : '; it was started again';
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
