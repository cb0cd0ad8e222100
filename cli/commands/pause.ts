import type { Command } from 'commander';
import { SIGNAL } from '../../domain/messages.js';
import { batchWorkflowId } from '../../domain/queues.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';

/** A batch whose workflow does not run starts nothing anyhow. */
async function tellBatch(context: CliContext, batchId: string): Promise<void> {
  const client = await context.temporal();
  try {
    await client.workflow.getHandle(batchWorkflowId(batchId)).signal(SIGNAL.batchChanged);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}

export function register(program: Command, context: CliContext): void {
  program
    .command('pause')
    .summary('start no more runs of a batch')
    .description(
      'Start no more runs of a batch until `bench resume <batch>`. Runs that have begun go on to their end, GPUs and containers with them.',
    )
    .argument('<batch>', 'id, name, or an unambiguous part of the id')
    .action(async (ref: string) => {
      const { output } = context;
      const { queries, batches } = await context.database();
      const { batchId } = await queries.findBatch(ref);
      const paused = await batches.pause(batchId);
      if (paused) await tellBatch(context, batchId);
      const { status, byStatus } = await queries.batchStatus(batchId);
      const { queued = 0, ended = 0, ...begun } = byStatus;
      const running = Object.values(begun).reduce((sum, one) => sum + one, 0);
      output.json({ batchId, paused, status, queuedRuns: queued, runningRuns: running, endedRuns: ended });
      output.print(
        paused
          ? `Batch ${batchId} is paused: ${plural(running, 'run')} in flight ${running === 1 ? 'goes' : 'go'} on, ${queued} not begun wait. \`bench resume ${batchId}\` goes on.`
          : `Batch ${batchId} is over already (${status}).`,
      );
    });
}
