import { batchWorkflowId, runWorkflowId } from '../../domain/queues.js';
import { cancelWorkflow } from '../../temporal/cancel-workflow.js';
import type { Bench } from '../bench.js';
import { CANCELLED } from './cancel-run.js';

/** Asks for the end of a batch and its unfinished runs; ends them itself where no workflow runs. */
export async function cancelBatch(bench: Bench, batchId: string): Promise<void> {
  const { queries, store } = await bench.database();
  const client = await bench.temporal();
  const running = await cancelWorkflow(client, batchWorkflowId(batchId));
  const { runList } = await queries.batchStatus(batchId);
  const open = runList.filter(({ status }) => status !== 'ended');
  if (running) {
    // A run whose workflow was started again, as after a termination in Temporal, is nobody's child: it is told by itself.
    for (const run of open.filter(({ status }) => status !== 'queued'))
      await cancelWorkflow(client, runWorkflowId(run.runId));
    return;
  }
  // Nothing of the batch runs but what an earlier start left behind.
  for (const run of open)
    if (!(await cancelWorkflow(client, runWorkflowId(run.runId)))) await store.finishRun(run.runId, CANCELLED);
  await store.finishBatch(batchId, 'cancelled');
}
