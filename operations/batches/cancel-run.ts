import { runWorkflowId } from '../../domain/queues.js';
import type { RunSummary } from '../../domain/views/runs.js';
import { cancelWorkflow } from '../../temporal/cancel-workflow.js';
import { startCancelledRun } from '../../temporal/start-cancelled-run.js';
import type { Bench } from '../bench.js';

/** The end of a run that no workflow can end any more. */
export const CANCELLED = { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } as const;

/** Cancels a run, whether its workflow is running, not started yet, or gone. */
export async function cancelRun(bench: Bench, run: Pick<RunSummary, 'runId'>): Promise<void> {
  const { store } = await bench.database();
  if (await cancelWorkflow(await bench.temporal(), runWorkflowId(run.runId))) return;
  if (!(await cancelQueued(bench, run))) await store.finishRun(run.runId, CANCELLED);
}

/**
 * A run that waits for its turn has no workflow yet. It gets one, which is cancelled at once: its batch then finds that the
 * run has ended, and does not start it. False: the run has ended meanwhile.
 */
async function cancelQueued(bench: Bench, run: Pick<RunSummary, 'runId'>): Promise<boolean> {
  const { store } = await bench.database();
  const ticket = await store.ticket(run.runId);
  if (ticket === null) return false;
  await startCancelledRun(await bench.temporal(), ticket);
  return true;
}
