import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import type { CliContext } from '../context.js';
import { usDollars } from '../options.js';
import { plural } from '../render/format.js';
import { appendAndStart } from '../../operations/batches/add-runs.js';
import { continued } from '../../operations/batches/replacements.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { BatchSummary } from '../../domain/views/batches.js';

const POLL_MS = 1000;
const goOn = (runs: number): string => (runs === 1 ? 'goes' : 'go');

/** Also one whose runs have all ended, but not itself: its workflow has that still to write. */
const unfinished = (batch: BatchSummary): boolean => batch.status !== 'cancelled' && batch.status !== 'ended';

/** Batches that a person may want to go on with: the one named, else all that are unfinished and not paused. */
async function batchesToResume(context: CliContext, ref: string | undefined): Promise<BatchSummary[]> {
  const { queries } = await context.database();
  if (ref !== undefined) return [await queries.findBatch(ref)];
  return (await queries.listBatches(10_000)).batches.filter((batch) => unfinished(batch) && batch.pausedAt === null);
}

/** A run that goes on for each that the old budget has ended. Returns how many. */
async function continueStopped(context: CliContext, batchId: string): Promise<number> {
  const { batches, store } = await context.database();
  const ofOld = new Set((await batches.stoppedByOldBudget(batchId)).map(({ runId }) => runId));
  const stopped = (await batches.replaceable({ batchId }, ['budget'])).filter(({ runId }) => ofOld.has(runId));
  const runs = await Promise.all(
    stopped.map(async ({ runId, lastStep }) => {
      const [definition, { confirmedUsd, tokens }] = await Promise.all([
        store.definition(runId),
        store.spending(runId),
      ]);
      return continued(definition, { lastStep, confirmedUsd, tokens });
    }),
  );
  if (runs.length === 0) return 0;
  try {
    await appendAndStart(context, batchId, runs);
    return runs.length;
  } catch (error) {
    // Another command was faster with some of them, which are never continued twice: then with the rest.
    const rest = await batches.replaceable({ batchId }, ['budget']);
    if (
      !(error instanceof BenchError && error.type === 'usage') ||
      runs.every((run) => rest.some(({ runId }) => runId === run.replaces))
    )
      throw error;
    return continueStopped(context, batchId);
  }
}

/**
 * Runs that met the end of the old budget, but are still evaluated, go on as soon as they have ended. Returns how many go on in all,
 * and whether the last was waited for.
 */
async function continueEnding(context: CliContext, batchId: string): Promise<{ again: number; left: boolean }> {
  const { output } = context;
  const { batches } = await context.database();
  const interrupt = context.onInterrupt();
  let told = 0;
  let again = 0;
  for (;;) {
    // Counted first: what has ended by then is continued below.
    const ending = (await batches.stoppedByOldBudget(batchId)).filter(({ ended }) => !ended).length;
    again += await continueStopped(context, batchId);
    if (ending === 0) return { again, left: false };
    if (ending !== told)
      output.log(
        `${plural(ending, 'run')} that the old budget ended ${ending === 1 ? 'is' : 'are'} still evaluated, and ${goOn(ending)} on after that. Ctrl-C leaves: repeat the command then.`,
      );
    told = ending;
    await sleep(POLL_MS, undefined, { signal: interrupt }).catch(() => undefined);
    if (interrupt.aborted) return { again, left: true };
  }
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
        'give the batch this budget in all, and go on with the runs that the old one ended; waits for those that are still evaluated, may be repeated',
      ).argParser(usDollars),
    )
    .option('--wait', 'show progress until all runs have ended (one batch); Ctrl-C leaves them running')
    .action(async (ref: string | undefined, options: { wait?: true; budget?: string }) => {
      const { output } = context;
      if (options.budget !== undefined && ref === undefined)
        throw new BenchError('usage', '--budget needs a batch', {
          remedy: 'Name it: bench resume <batch> --budget 200.',
        });
      await context.renewWorker();
      let batches = await batchesToResume(context, ref);
      const [named] = batches;
      if (options.budget !== undefined && named !== undefined) {
        await (await context.database()).batches.raiseBudget(named.batchId, options.budget);
        const again = await continueStopped(context, named.batchId);
        output.print(
          `Batch ${named.batchId} has a budget of $${options.budget}; ${plural(again, 'run')} that the old one ended ${goOn(again)} on.`,
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
      if (options.budget !== undefined && only !== undefined) {
        const { again, left } = await continueEnding(context, only.batchId);
        only.unfinishedRuns += again;
        if (again > 0) output.print(`${plural(again, 'more run')} ${goOn(again)} on.`);
        if (left) {
          output.log(`Left before all had ended; then: bench resume ${only.batchId} --budget ${options.budget}`);
          output.json({ resumed });
          context.setExitCode(130);
          return;
        }
      }
      if (options.wait === true && only !== undefined && others.length === 0) {
        await waitForBatch(context, only.batchId);
        return;
      }
      output.json({ resumed });
      if (only !== undefined) output.print(`Follow it with: bench watch ${only.batchId}`);
    });
}
