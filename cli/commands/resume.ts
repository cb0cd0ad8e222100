import type { Command } from 'commander';
import type { BatchSummary } from '../../db/index.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import { startBatchWorkflow } from '../submission/start-batch.js';
import { waitForBatch } from '../wait-for-batch.js';

/** Also one whose runs have all ended, but not itself: its workflow has that still to write. */
const unfinished = (batch: BatchSummary): boolean => batch.status !== 'cancelled' && batch.status !== 'ended';

/** Batches that a person may want to go on with: the one named, else all that are unfinished. */
async function batchesToResume(context: CliContext, ref: string | undefined): Promise<BatchSummary[]> {
  const { queries } = await context.database();
  if (ref !== undefined) return [await queries.findBatch(ref)];
  return (await queries.listBatches(10_000)).filter(unfinished);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('resume')
    .summary('go on with unfinished runs')
    .description(
      'Bring the services up and go on with unfinished runs, each from its last recorded step. Safe at any time: nothing runs twice.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: all unfinished batches')
    .option('--wait', 'show progress until all runs have ended (one batch); Ctrl-C leaves them running')
    .action(async (ref: string | undefined, options: { wait?: true }) => {
      const { output } = context;
      const batches = await batchesToResume(context, ref);
      const client = await context.temporal();
      const resumed: { batchId: string; unfinishedRuns: number }[] = [];
      for (const batch of batches) {
        if (!unfinished(batch)) {
          output.print(`Batch ${batch.batchId} is over (${batch.status}); there is nothing to go on with.`);
          continue;
        }
        await startBatchWorkflow(client, batch);
        resumed.push({ batchId: batch.batchId, unfinishedRuns: batch.runs - batch.ended });
        output.print(`Batch ${batch.batchId} goes on with ${plural(batch.runs - batch.ended, 'unfinished run')}.`);
      }
      if (batches.length === 0) output.print('No batch is unfinished.');
      const [only, ...others] = resumed;
      if (options.wait === true && only !== undefined && others.length === 0) {
        await waitForBatch(context, only.batchId);
        return;
      }
      output.json({ resumed });
      if (only !== undefined) output.print(`Follow it with: bench watch ${only.batchId}`);
    });
}
