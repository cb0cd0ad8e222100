import type { Client } from '@temporalio/client';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { RunLifecycle } from '../../domain/ports/record/run-lifecycle.js';
import { runWorkflowId } from '../../domain/run/queues.js';
import type { RunSummary } from '../../domain/views/runs.js';
import { cancelWorkflow } from '../../temporal/cancel-workflow.js';
import { startCancelledRun } from '../../temporal/start-cancelled-run.js';

export const CANCELLED = { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } as const;

export interface CancelRunPorts {
  store: Pick<RunLifecycle, 'finishRun'> & Pick<RunDefinitions, 'ticket'>;
  temporal(): Promise<Client>;
}

/** Cancels a run, whether its workflow is running, not started yet, or gone. */
export async function cancelRun(ports: CancelRunPorts, run: Pick<RunSummary, 'runId'>): Promise<void> {
  if (await cancelWorkflow(await ports.temporal(), runWorkflowId(run.runId))) return;
  if (!(await cancelQueued(ports, run))) await ports.store.finishRun(run.runId, CANCELLED);
}

/**
 * A queued run has no workflow yet. It gets one, cancelled at once: its batch finds that the run
 * has ended and does not start it. False: the run has ended meanwhile.
 */
async function cancelQueued(ports: CancelRunPorts, run: Pick<RunSummary, 'runId'>): Promise<boolean> {
  const ticket = await ports.store.ticket(run.runId);
  if (ticket === null) return false;
  await startCancelledRun(await ports.temporal(), ticket);
  return true;
}
