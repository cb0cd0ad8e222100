import type { Client } from '@temporalio/client';
import { SIGNAL } from '../domain/model/messages.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID, runWorkflowId } from '../domain/run/queues.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import type { UnfinishedWork } from '../domain/ports/record/unfinished-work.js';
import { cancelWorkflow } from '../temporal/cancel-workflow.js';
import { startBatchWorkflow } from '../temporal/start-batch.js';
import { startCancelledRun } from '../temporal/start-cancelled-run.js';
import { startRunWorkflow } from '../temporal/start-run.js';
import type { Logger } from './logger.js';

/** A single failure may meet a worker that is being replaced. */
const FAILED_ATTEMPTS = 3;
/** Starved machines cause timeouts, too: allow minutes. */
const TIMED_OUT_ATTEMPTS = 15;
/** Among these, the last task's end and a cancel request are sought. */
const LAST_EVENTS = 50;
/** The next round looks at others. */
const RUNS_A_ROUND = 200;

export interface StuckPorts {
  client: Client;
  store: Pick<UnfinishedWork, 'quietRuns'> & Pick<RunDefinitions, 'ticket'> & EventLog;
  log: Pick<Logger, 'warn'>;
}

/** Its tasks keep failing, as its code cannot replay its history. */
interface Stuck {
  attempts: number;
  why: string;
  isCancelled: boolean;
}

/** Terminates and restarts them from the record, at their step. Each is an event. */
export function stuckWorkflows({ client, store, log }: StuckPorts): () => Promise<void> {
  return async () => {
    for (const runId of await store.quietRuns(RUNS_A_ROUND)) await look(runWorkflowId(runId));
    const query = `ExecutionStatus = 'Running' AND WorkflowType IN ('batch', 'batchShard', 'gpuPool')`;
    for await (const { workflowId } of client.workflow.list({ query })) await look(workflowId);
  };

  async function look(workflowId: string): Promise<void> {
    const stuck = await stuckState(client, workflowId);
    if (stuck === null) return;
    const [, kind, id = null] = /^(run|batch)\/([^/]+)/.exec(workflowId) ?? [];
    const detail =
      `workflow ${workflowId} could not continue (${stuck.why}, ${stuck.attempts} attempts); ` +
      `it is restarted from its record${stuck.isCancelled ? ', to end it as cancelled' : ''}`;
    await store.addEvent({
      runId: kind === 'run' ? id : null,
      batchId: kind === 'batch' ? id : null,
      kind: 'workflow_stuck',
      key: `stuck-${workflowId}-${new Date().toISOString()}`,
      detail,
    });
    log.warn({ workflowId }, detail);
    await client.workflow.getHandle(workflowId).terminate('its tasks keep failing');
    if (kind === 'run' && id !== null) return restartRun(id, stuck);
    if (kind === 'batch' && id !== null) {
      // Of a shard: its batch restarts the unfinished runs.
      await startBatchWorkflow(client, { batchId: id });
      if (stuck.isCancelled) await cancelWorkflow(client, `batch/${id}`);
      return;
    }
    await client.workflow.signalWithStart('gpuPool', {
      ...{ workflowId: GPU_POOL_WORKFLOW_ID, taskQueue: CONTROL_QUEUE, signal: SIGNAL.hostsChanged, signalArgs: [] },
    });
  }

  async function restartRun(runId: string, { isCancelled }: Stuck): Promise<void> {
    const ticket = await store.ticket(runId);
    if (ticket === null) return;
    await (isCancelled ? startCancelledRun(client, ticket) : startRunWorkflow(client, ticket));
  }
}

/** Null: it continues, waits, or is closed. */
async function stuckState(client: Client, workflowId: string): Promise<Stuck | null> {
  try {
    const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
    const attempts = raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempts < FAILED_ATTEMPTS) return null;
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: LAST_EVENTS,
    });
    const events = history?.events ?? [];
    const last = events.find(
      (event) =>
        event.workflowTaskFailedEventAttributes ??
        event.workflowTaskTimedOutEventAttributes ??
        event.workflowTaskCompletedEventAttributes,
    );
    const failed = last?.workflowTaskFailedEventAttributes;
    const timedOut = last?.workflowTaskTimedOutEventAttributes;
    if (failed == null && (timedOut == null || attempts < TIMED_OUT_ATTEMPTS)) return null;
    const why =
      failed == null ? 'its tasks time out' : `its tasks fail: ${(failed.failure?.message ?? 'unknown').slice(0, 300)}`;
    const isCancelled =
      raw.workflowExtendedInfo?.cancelRequested === true ||
      events.some((event) => event.workflowExecutionCancelRequestedEventAttributes != null);
    return { attempts, why, isCancelled };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
    throw error;
  }
}
