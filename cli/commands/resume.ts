import { Option, type Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { continueEnding } from '../../operations/batches/continue-stopped.js';
import { raiseBudget } from '../../operations/batches/raise-budget.js';
import { resume } from '../../operations/batches/resume.js';
import type { CliContext } from '../context.js';
import { usDollars } from '../options.js';
import { plural } from '../render/format.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { ResumeDocument } from '../../domain/views/batch-control.js';

const goOn = (runs: number): string => (runs === 1 ? 'goes' : 'go');

/** Progress until the runs that the old budget ended have been evaluated; how many go on, and whether Ctrl-C left some. */
async function waitForEnding(context: CliContext, batchId: string): Promise<{ again: number; left: boolean }> {
  const interrupt = context.onInterrupt();
  let told = 0;
  let again = 0;
  for await (const look of continueEnding(context, batchId, interrupt)) {
    again += look.again;
    if (look.ending > 0 && look.ending !== told)
      context.output.log(
        `${plural(look.ending, 'run')} that the old budget ended ${look.ending === 1 ? 'is' : 'are'} still evaluated, and ${goOn(look.ending)} on after that. Ctrl-C leaves: repeat the command then.`,
      );
    told = look.ending;
  }
  return { again, left: told > 0 };
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
          `Batch ${raised.batchId} has a budget of $${budget}; ${plural(raised.again, 'run')} that the old one ended ${goOn(raised.again)} on.`,
        );
      }
      const outcomes = await resume(context, batch);
      if (outcomes.length === 0) output.print('No batch is unfinished.');
      for (const { batchId, resumed, status, unfinishedRuns } of outcomes)
        output.print(
          resumed
            ? `Batch ${batchId} goes on with ${plural(unfinishedRuns, 'unfinished run')}.`
            : `Batch ${batchId} is over (${status}); there is nothing to go on with.`,
        );
      const resumed = outcomes
        .filter((one) => one.resumed)
        .map(({ batchId, unfinishedRuns }) => ({ batchId, unfinishedRuns }));
      const [only, ...others] = resumed;
      if (budget !== undefined && only !== undefined) {
        const { again, left } = await waitForEnding(context, only.batchId);
        only.unfinishedRuns += again;
        if (again > 0) output.print(`${plural(again, 'more run')} ${goOn(again)} on.`);
        if (left) {
          output.log(`Left before all had ended; then: bench resume ${only.batchId} --budget ${budget}`);
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
      if (only !== undefined) output.print(`Follow it with: bench watch ${only.batchId}`);
    });
}
