import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, executeChild, isCancellation, log, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities } from '../domain/model/messages.js';
import { runWorkflowId } from '../domain/run/queues.js';
import type { RunEnd, RunTicket } from '../domain/run/run.js';
import { controlOptions } from './activity-options.js';
import { untilEndedElsewhere } from './followed-run.js';

const control = proxyActivities<ControlActivities>(controlOptions);

/** Also awaits a workflow of an earlier start. Null: the run's end is unknown here. */
export async function oneRun(ticket: RunTicket): Promise<RunEnd | null> {
  const workflowId = runWorkflowId(ticket.runId);
  try {
    return await executeChild<(ticket: RunTicket) => Promise<RunEnd>>(ticket.search === true ? 'search' : 'run', {
      workflowId,
      args: [ticket],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      // A terminated batch loses no run: `bench resume` finds them in the database.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError)
      await untilEndedElsewhere(workflowId, () => control.runEnded({ runId: ticket.runId }));
    else log.error('run workflow failed', { runId: ticket.runId, error: String(error) });
    return null;
  }
}
