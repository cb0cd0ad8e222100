import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  ParentClosePolicy,
  executeChild,
  isCancellation,
  log,
  proxyActivities,
} from '@temporalio/workflow';
import type { BatchResult, ControlActivities, ShardInput } from '../domain/messages.js';
import { runWorkflowId } from '../domain/queues.js';
import type { RunTicket } from '../domain/run.js';
import { controlOptions } from './activity-options.js';
import { untilEndedElsewhere } from './elsewhere.js';
import type { run } from './run.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** Up to SHARD_SIZE runs, `window` at a time. One run's failure never ends the others. */
export async function batchShard(input: ShardInput): Promise<BatchResult> {
  const tickets = await control.loadShard({ batchId: input.batchId, shard: input.shard });
  const waiting = [...tickets];
  const cut: RunTicket[] = [];
  const lane = async (): Promise<void> => {
    for (let ticket = waiting.shift(); ticket !== undefined; ticket = waiting.shift()) {
      try {
        await oneRun(ticket);
      } catch (error) {
        if (!isCancellation(error)) throw error;
        cut.push(ticket);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(input.window, tickets.length)) }, lane));
  if (cut.length > 0) {
    // Runs in flight have ended themselves; the end of those that never started is written here. A run ends once.
    await CancellationScope.nonCancellable(() => Promise.all(cut.map((ticket) => endUnstarted(ticket.runId))));
    throw new CancelledFailure('the shard was cancelled');
  }
  return { runs: tickets.length };
}

async function oneRun(ticket: RunTicket): Promise<void> {
  const workflowId = runWorkflowId(ticket.runId);
  try {
    await executeChild<typeof run>('run', {
      workflowId,
      args: [ticket],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      // A batch that is terminated loses no run: `bench resume` finds them by their rows.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError)
      await untilEndedElsewhere(workflowId, () => control.runEnded({ runId: ticket.runId }));
    else log.error('run workflow failed', { runId: ticket.runId, error: String(error) });
  }
}

const endUnstarted = (runId: string): Promise<void> =>
  control.finishRun({ runId, end: { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } });
