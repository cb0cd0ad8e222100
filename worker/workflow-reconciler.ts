import type { Client } from '@temporalio/client';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import type { UnfinishedWork } from '../domain/ports/record/unfinished-work.js';
import { SIGNAL } from '../domain/model/messages.js';
import { batchWorkflowId, CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID, runWorkflowId } from '../domain/run/queues.js';
import { startBatchWorkflow } from '../temporal/start-batch.js';
import { startRunWorkflow } from '../temporal/start-run.js';
import type { Logger } from './logger.js';

/** Finds workflows that closed while no worker ran. */
const LOOK_BACK_MS = 24 * 3_600_000;
/** Lists of closed workflows lag behind. */
const OVERLAP_MS = 10 * 60_000;
/** More failures in a round are the server's. */
const MAX_FAILURES = 3;

export interface ReconcilerPorts {
  client: Client;
  store: UnfinishedWork & Pick<RunDefinitions, 'ticket'> & EventLog;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The latest execution of a workflow that does not run; `missing`: Temporal does not know it. */
type Closed = { status: 'missing' } | { status: 'terminated' | 'completed' | 'closed'; executionId: string };

/**
 * Restarts workflows of batches, runs and the GPU pool that rows call for and Temporal does not
 * run, with an event each: a terminated or lost workflow sends no notice. Call about twice a
 * minute; concurrent calls are safe.
 */
export function workflowReconciler(ports: ReconcilerPorts): () => Promise<void> {
  const { client, store, log } = ports;
  let lookFrom = Date.now() - LOOK_BACK_MS;
  let missingBefore = new Set<string>();

  return async () => {
    const began = Date.now();
    let failures = 0;
    const guarded = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        failures += 1;
        if (failures === MAX_FAILURES) throw error;
        log.warn({ error: String(error) }, 'a workflow could not be compared with its rows');
      }
    };
    const work = await store.unfinishedWork();
    await guarded(() => reconcilePool(ports, work.gpuHosts));
    const restarted = new Set<string | null>();
    const lookAtBatch = (batchId: string, workflowId: string): Promise<void> =>
      guarded(async () => {
        if (await reconcileBatch(ports, batchId, workflowId)) restarted.add(batchId);
      });
    for (const batchId of work.batchIds) await lookAtBatch(batchId, batchWorkflowId(batchId));
    for (const batchId of work.settledIds) await guarded(() => startBatchWorkflow(client, { batchId }));

    const running = await runningRuns(client);
    const missing = new Set<string>();
    const lookAtRun = (runId: string, ofRestarted: boolean): Promise<void> =>
      guarded(async () => {
        const outcome = await reconcileRun(ports, runId, missingBefore.has(runId) && !ofRestarted);
        if (outcome === 'missing') missing.add(runId);
      });
    const begun = new Set(work.runs.map(({ runId }) => runId));
    for (const { runId, batchId } of work.runs) if (!running.has(runId)) await lookAtRun(runId, restarted.has(batchId));
    // Runs that wait for their turn have no workflow, so rows do not show terminated ones.
    for await (const { kind, id, workflowId } of closedSince(client, lookFrom)) {
      if (kind === 'batch') await lookAtBatch(id, workflowId);
      else if (!begun.has(id)) await lookAtRun(id, false);
    }
    missingBefore = missing;
    // Failed restarts are found again.
    if (failures === 0) lookFrom = began - OVERLAP_MS;
  };
}

async function reconcilePool(ports: ReconcilerPorts, gpuHosts: boolean): Promise<void> {
  const { client } = ports;
  if (!gpuHosts) return;
  const closed = await closedExecution(client, GPU_POOL_WORKFLOW_ID);
  if (closed === null) return;
  await client.workflow.signalWithStart('gpuPool', {
    workflowId: GPU_POOL_WORKFLOW_ID,
    taskQueue: CONTROL_QUEUE,
    signal: SIGNAL.hostsChanged,
    signalArgs: [],
  });
  await report(
    ports,
    { runId: null, batchId: null },
    GPU_POOL_WORKFLOW_ID,
    closed,
    'it was restarted with the open leases',
  );
}

/** `workflowId`: the batch's, or that of a shard, whose runs the batch restarts. */
async function reconcileBatch(ports: ReconcilerPorts, batchId: string, workflowId: string): Promise<boolean> {
  const { client, store } = ports;
  const closed = await closedExecution(client, workflowId);
  // A completed shard is over.
  const isShard = workflowId !== batchWorkflowId(batchId);
  if (closed === null || (isShard && closed.status !== 'terminated')) return false;
  if (!(await store.isUnfinished({ batchId }))) return false;
  await startBatchWorkflow(client, { batchId });
  const then = isShard
    ? 'its batch restarts its unfinished runs when the other shards are over'
    : 'it was restarted, and its unfinished runs continue from their records';
  await report(ports, { runId: null, batchId }, workflowId, closed, then);
  return true;
}

/** `evenIfMissing`: nothing else restarts one that Temporal does not know. */
async function reconcileRun(
  ports: ReconcilerPorts,
  runId: string,
  evenIfMissing: boolean,
): Promise<'missing' | 'done'> {
  const { client, store } = ports;
  const workflowId = runWorkflowId(runId);
  const closed = await closedExecution(client, workflowId);
  if (closed === null || !(await store.isUnfinished({ runId }))) return 'done';
  // A batch that was lost as well restarts it, unless paused.
  if (closed.status === 'missing' && !evenIfMissing) return 'missing';
  const ticket = await store.ticket(runId);
  if (ticket === null) return 'done';
  await startRunWorkflow(client, ticket, { evenIfCompleted: closed.status === 'completed' });
  await report(
    ports,
    { runId, batchId: null },
    workflowId,
    closed,
    'it was restarted, and the run continues from its record',
  );
  return 'done';
}

async function report(
  { store, log }: ReconcilerPorts,
  subject: { runId: string | null; batchId: string | null },
  workflowId: string,
  closed: Closed,
  then: string,
): Promise<void> {
  const what =
    closed.status === 'missing'
      ? ({ kind: 'workflow_lost', key: `lost-${workflowId}-${new Date().toISOString()}` } as const)
      : ({ kind: 'workflow_terminated', key: `terminated-${closed.executionId}` } as const);
  const detail = `workflow ${workflowId} ${HOW[closed.status]}; ${then}`;
  await store.addEvent({ ...subject, ...what, detail });
  log.info({ workflowId }, detail);
}

const HOW: Record<Closed['status'], string> = {
  missing: 'is unknown to Temporal, which has lost it',
  terminated: 'was terminated in Temporal',
  completed: 'has completed in Temporal, but PostgreSQL has it as unfinished',
  closed: 'failed in Temporal',
};

/** Null: it is running. Rejects when the server does not answer. */
async function closedExecution(client: Client, workflowId: string): Promise<Closed | null> {
  try {
    const { status, runId } = await client.workflow.getHandle(workflowId).describe();
    switch (status.name) {
      case 'RUNNING':
        return null;
      case 'TERMINATED':
        return { status: 'terminated', executionId: runId };
      case 'COMPLETED':
        return { status: 'completed', executionId: runId };
      default:
        return { status: 'closed', executionId: runId };
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return { status: 'missing' };
    throw error;
  }
}

/** The list lags behind: other runs may be running too. */
async function runningRuns(client: Client): Promise<Set<string>> {
  const running = new Set<string>();
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN ('run', 'search')`;
  for await (const { workflowId } of client.workflow.list({ query })) running.add(workflowId.replace(/^run\//, ''));
  return running;
}

async function* closedSince(
  client: Client,
  since: number,
): AsyncGenerator<{ kind: 'run' | 'batch'; id: string; workflowId: string }> {
  const query = `ExecutionStatus = 'Terminated' AND CloseTime > '${new Date(since).toISOString()}'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const [, kind, id] = /^(run|batch)\/([^/]+)(?:\/shard-\d+)?$/.exec(workflowId) ?? [];
    if ((kind === 'run' || kind === 'batch') && id !== undefined) yield { kind, id, workflowId };
  }
}
