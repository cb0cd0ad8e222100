import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  isCancellation,
  log,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BatchResult, ControlActivities, ShardInput } from '../domain/messages.js';
import { runWorkflowId } from '../domain/queues.js';
import type { RunTicket } from '../domain/run.js';
import { controlOptions } from './activity-options.js';
import type { run } from './run.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** Up to SHARD_SIZE runs, `window` at a time. One run's failure never ends the others. */
export async function batchShard(input: ShardInput): Promise<BatchResult> {
  const tickets = await control.loadShard({ batchId: input.batchId, shard: input.shard });
  const waiting = [...tickets];
  const lane = async (): Promise<void> => {
    for (let ticket = waiting.shift(); ticket !== undefined; ticket = waiting.shift()) await oneRun(ticket);
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, Math.min(input.window, tickets.length)) }, lane));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Runs in flight have ended themselves as cancelled; these never started.
    await CancellationScope.nonCancellable(async () => {
      for (const ticket of waiting) await endUnstarted(ticket.runId);
    });
    throw error;
  }
  return { runs: tickets.length };
}

async function oneRun(ticket: RunTicket): Promise<void> {
  try {
    await executeChild<typeof run>('run', {
      workflowId: runWorkflowId(ticket.runId),
      args: [ticket],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      // A batch that is terminated loses no run: `bench resume` finds them by their rows.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError) await untilEnded(ticket.runId);
    else log.error('run workflow failed', { runId: ticket.runId, error: String(error) });
  }
}

/** The run goes on under an earlier start of its batch: wait for its row. */
async function untilEnded(runId: string): Promise<void> {
  for (let seconds = 2; !(await control.runEnded({ runId })); seconds = Math.min(seconds * 2, 300)) {
    await sleep(seconds * 1000);
  }
}

const endUnstarted = (runId: string): Promise<void> =>
  control.finishRun({ runId, end: { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } });
