import { Option, type Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { continueEnding } from '../../operations/batches/continue-stopped.js';
import { raiseBudget } from '../../operations/batches/raise-budget.js';
import { resume } from '../../operations/batches/resume.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { usDollars } from '../options.js';
import { plural } from '../../domain/text/format.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { ResumeDocument } from '../../domain/views/batch-control.js';

const continues = (runs: number): string => (runs === 1 ? 'continues' : 'continue');

/** Waits for evaluations of runs that the old budget ended. `again`: runs that continue. */
async function waitForEnding(context: CliContext, batchId: string): Promise<{ again: number; left: boolean }> {
  const interrupt = context.onInterrupt();
  let reported = 0;
  let again = 0;
  for await (const look of continueEnding(context, batchId, interrupt)) {
    again += look.again;
    if (look.ending > 0 && look.ending !== reported)
      context.output.log(
        `${plural(look.ending, 'run')} stopped by the old budget ${look.ending === 1 ? 'is' : 'are'} still being evaluated, then ${continues(look.ending)}. Ctrl-C leaves; repeat the command then.`,
      );
    reported = look.ending;
  }
  return { again, left: reported > 0 };
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('resume')
    .summary('continue unfinished runs')
    .description(
      'Start the services and continue unfinished runs, each from its last recorded step. A paused batch starts runs again. Safe at any time: nothing runs twice.',
    )
    .argument(
      '[batch]',
      'id, name, or an unambiguous part of the id; default: all unfinished batches that are not paused',
    )
    .addOption(
      new Option(
        '--budget <usd>',
        'set the total budget of the batch, and continue the runs that the old budget stopped; waits for those still being evaluated',
      ).argParser(usDollars),
    )
    .option('--wait', 'show progress until all runs have ended (one batch); Ctrl-C leaves them running')
    .action(async (ref: string | undefined, options: { wait?: true; budget?: string }) => {
      const { output } = context;
      const { budget } = options;
      let batch = ref;
      if (budget !== undefined) {
        if (ref === undefined)
          throw new BenchError('usage', '--budget needs a batch', {
            remedy: 'Name it: bench resume <batch> --budget 200.',
          });
        const raised = await raiseBudget(context, ref, budget);
        batch = raised.batchId;
        output.print(
          `Batch ${raised.batchId} has a budget of $${budget}; ${plural(raised.again, 'run')} stopped by the old one ${continues(raised.again)}.`,
        );
      }
      const outcomes = await resume(context, batch);
      if (outcomes.length === 0) output.print('No unfinished batches.');
      for (const { batchId, resumed, status, unfinishedRuns } of outcomes)
        output.print(
          resumed
            ? `Batch ${batchId} continues ${plural(unfinishedRuns, 'unfinished run')}.`
            : `Batch ${batchId} has ended (${status}); nothing to continue.`,
        );
      const resumed = outcomes
        .filter((one) => one.resumed)
        .map(({ batchId, unfinishedRuns }) => ({ batchId, unfinishedRuns }));
      const [only, ...others] = resumed;
      if (budget !== undefined && only !== undefined) {
        const { again, left } = await waitForEnding(context, only.batchId);
        only.unfinishedRuns += again;
        if (again > 0) output.print(`${plural(again, 'more run')} ${continues(again)}.`);
        if (left) {
          output.log(`Some runs had not ended. Continue with: bench resume ${only.batchId} --budget ${budget}`);
          output.json({ resumed } satisfies ResumeDocument);
          context.setExitCode(130);
          return;
        }
      }
      if (options.wait === true && only !== undefined && others.length === 0) {
        await waitForBatch(context, only.batchId);
        return;
      }
      output.json({ resumed } satisfies ResumeDocument);
      if (only !== undefined) output.print(`Follow it: bench watch ${only.batchId}`);
    });
  addExamples(command, [
    ['bench resume', 'continue every unfinished batch'],
    ['bench resume spring', 'continue one batch, also a paused one'],
    ['bench resume spring --budget 200', 'raise its budget and continue stopped runs'],
  ]);
}
