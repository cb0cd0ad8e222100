import { Option, type Command } from 'commander';
import type { BatchSummary } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import { addUsd } from '../../domain/price.js';
import type { CliContext } from '../context.js';
import { usDollars } from '../options.js';
import { plural } from '../render/format.js';
import { appendAndStart } from '../submission/add-runs.js';
import { continued } from '../submission/replacements.js';
import { startBatchWorkflow } from '../submission/start-batch.js';
import { waitForBatch } from '../wait-for-batch.js';

/** Also one whose runs have all ended, but not itself: its workflow has that still to write. */
const unfinished = (batch: BatchSummary): boolean => batch.status !== 'cancelled' && batch.status !== 'ended';

/** Batches that a person may want to go on with: the one named, else all that are unfinished and not paused. */
async function batchesToResume(context: CliContext, ref: string | undefined): Promise<BatchSummary[]> {
  const { queries } = await context.database();
  if (ref !== undefined) return [await queries.findBatch(ref)];
  return (await queries.listBatches(10_000)).filter((batch) => unfinished(batch) && batch.pausedAt === null);
}

/** More money, and runs that go on for those that it had ended. Returns how many. */
async function raiseBudget(context: CliContext, { batchId }: BatchSummary, budgetUsd: string): Promise<number> {
  const { batches, store } = await context.database();
  await batches.raiseBudget(batchId, budgetUsd);
  const stopped = await batches.replaceable({ batchId }, ['budget']);
  const runs = await Promise.all(
    stopped.map(async ({ runId, lastStep }) => {
      const [definition, { confirmedUsd, unconfirmedUsd, tokens }] = await Promise.all([
        store.definition(runId),
        store.spending(runId),
      ]);
      return continued(definition, { lastStep, spentUsd: addUsd(confirmedUsd, unconfirmedUsd), tokens });
    }),
  );
  if (runs.length > 0) await appendAndStart(context, batchId, runs);
  return runs.length;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('resume')
    .summary('go on with unfinished runs')
    .description(
      'Bring the services up and go on with unfinished runs, each from its last recorded step; a paused batch starts runs again. Safe at any time: nothing runs twice.',
    )
    .argument(
      '[batch]',
      'id, name, or an unambiguous part of the id; default: all unfinished batches that are not paused',
    )
    .addOption(
      new Option(
        '--budget <usd>',
        'give the batch this budget in all, and go on with the runs that the old one ended',
      ).argParser(usDollars),
    )
    .option('--wait', 'show progress until all runs have ended (one batch); Ctrl-C leaves them running')
    .action(async (ref: string | undefined, options: { wait?: true; budget?: string }) => {
      const { output } = context;
      if (options.budget !== undefined && ref === undefined)
        throw new BenchError('usage', '--budget needs a batch', {
          remedy: 'Name it: bench resume <batch> --budget 200.',
        });
      let batches = await batchesToResume(context, ref);
      const [named] = batches;
      if (options.budget !== undefined && named !== undefined) {
        const again = await raiseBudget(context, named, options.budget);
        output.print(
          `Batch ${named.batchId} has a budget of $${options.budget}; ${plural(again, 'run')} that the old one ended go on.`,
        );
        batches = await batchesToResume(context, named.batchId);
      }
      const client = await context.temporal();
      const resumed: { batchId: string; unfinishedRuns: number }[] = [];
      for (const batch of batches) {
        if (!unfinished(batch)) {
          output.print(`Batch ${batch.batchId} is over (${batch.status}); there is nothing to go on with.`);
          continue;
        }
        if (batch.pausedAt !== null) await (await context.database()).batches.unpause(batch.batchId);
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
