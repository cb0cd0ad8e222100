import type { Command } from 'commander';
import { batchWorkflowId, CONTROL_QUEUE, runWorkflowId } from '../../domain/queues.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import { resolveRunOrBatch } from '../../operations/find-run-or-batch.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

/** Ask a workflow to stop; false: it does not run. */
async function requestCancel(context: CliContext, workflowId: string): Promise<boolean> {
  const client = await context.temporal();
  try {
    await client.workflow.getHandle(workflowId).cancel();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}

const CANCELLED = { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } as const;

/**
 * A run that waits for its turn has no workflow yet. It gets one, which is cancelled at once: its batch then finds that the
 * run has ended, and does not start it. False: the run has ended meanwhile.
 */
async function startCancelled(context: CliContext, run: RunSummary): Promise<boolean> {
  const { queries, store } = await context.database();
  const { shard } = await queries.showRun(run.runId);
  const ticket = (await store.loadShard(run.batchId, shard)).find(({ runId }) => runId === run.runId);
  if (ticket === undefined) return false;
  const client = await context.temporal();
  const handle = await client.workflow.start('run', {
    workflowId: runWorkflowId(run.runId),
    taskQueue: CONTROL_QUEUE,
    args: [ticket],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  await handle.cancel();
  return true;
}

/** Ask for the end of a run, whether its workflow runs, waits for its turn, or is gone. */
export async function requestRunCancel(context: CliContext, run: RunSummary): Promise<void> {
  const { store } = await context.database();
  if (!(await requestCancel(context, runWorkflowId(run.runId))) && !(await startCancelled(context, run))) {
    await store.finishRun(run.runId, CANCELLED);
  }
}

async function cancelRun(context: CliContext, run: RunSummary): Promise<void> {
  const { output } = context;
  if (run.status === 'ended') {
    output.json({ runId: run.runId, requested: false, status: run.status, endReason: run.endReason });
    output.print(`Run ${run.runId} has ended already (${run.endReason ?? ''}).`);
    return;
  }
  await requestRunCancel(context, run);
  output.json({ runId: run.runId, requested: true, status: run.status, endReason: null });
  output.print(`Run ${run.runId} is being cancelled: its container is removed, what it recorded stays.`);
}

async function cancelBatch(context: CliContext, batch: BatchSummary): Promise<void> {
  const { output } = context;
  const { queries, store } = await context.database();
  const open = batch.runs - batch.ended;
  if (batch.status === 'cancelled' || batch.status === 'ended' || open === 0) {
    output.json({ batchId: batch.batchId, requested: false, status: batch.status, unfinishedRuns: 0 });
    output.print(`Batch ${batch.batchId} is over already (${batch.status}).`);
    return;
  }
  const running = await requestCancel(context, batchWorkflowId(batch.batchId));
  if (!running) {
    // Nothing of the batch runs but what an earlier start left behind.
    const { runList } = await queries.batchStatus(batch.batchId);
    for (const run of runList.filter(({ status }) => status !== 'ended')) {
      if (!(await requestCancel(context, runWorkflowId(run.runId)))) await store.finishRun(run.runId, CANCELLED);
    }
    await store.finishBatch(batch.batchId, 'cancelled');
  } else {
    // A run whose workflow was started again, as after a termination in Temporal, is nobody's child: it is told by itself.
    const { runList } = await queries.batchStatus(batch.batchId);
    for (const run of runList.filter(({ status }) => status !== 'ended' && status !== 'queued'))
      await requestCancel(context, runWorkflowId(run.runId));
  }
  output.json({ batchId: batch.batchId, requested: true, status: batch.status, unfinishedRuns: open });
  output.print(
    `Batch ${batch.batchId} is being cancelled: ${plural(open, 'unfinished run')}. What ended before keeps its scores.`,
  );
}

export function register(program: Command, context: CliContext): void {
  program
    .command('cancel')
    .summary('stop a batch or a run')
    .description(
      'Stop a batch or a run: containers are removed, records stay. There is no way back; a new submission starts afresh.',
    )
    .argument('<id>', 'a batch or a run: id, an unambiguous part of it, or the name of a batch')
    .action(async (ref: string) => {
      const found = await resolveRunOrBatch(context, ref);
      await (found.kind === 'run' ? cancelRun(context, found.run) : cancelBatch(context, found.batch));
    });
}
