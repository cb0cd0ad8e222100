import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { usDollars, wholeNumber } from '../options.js';
import { plural } from '../render/format.js';
import { forkRun } from '../../operations/batches/fork-run.js';
import { submittedDocument } from '../../operations/batches/submit-batch.js';
import { waitForBatch } from '../wait-for-batch.js';
import { batchName } from './submit.js';

interface ForkOptions {
  atStep: number;
  model?: string;
  attempts: number;
  maxSteps?: number;
  costLimit?: string;
  concurrency: number;
  name?: string;
  wait?: true;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('fork')
    .summary('new runs that go on from a step of another one')
    .description(
      'Start a batch of runs that go on where another run was after one of its steps, with the same model or another one. The steps up to there are copied and cost nothing.',
    )
    .argument('<run>', 'id, or an unambiguous part of it')
    .requiredOption('--at-step <n>', 'the last step that is taken over', wholeNumber(1))
    .option('--model <name>', "the model that goes on; default: the run's own")
    .option('--attempts <n>', 'forks, each with a seed of its own', wholeNumber(1, 1000), 1)
    .option(
      '--max-steps <n>',
      "steps per run, the copied ones included; default: the run's own",
      wholeNumber(1, 100_000),
    )
    .option('--cost-limit <usd>', "most that a fork may spend on model calls; default: the run's own", usDollars)
    .option('--concurrency <n>', 'runs at the same time', wholeNumber(1, 10_000), 8)
    .option('--name <name>', 'a name for the batch, instead of its id', batchName)
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .action(async (ref: string, options: ForkOptions) => {
      const { output } = context;
      const { queries } = await context.database();
      const { runId } = await queries.findRun(ref);
      const batch = await forkRun(context, {
        runId,
        atStep: options.atStep,
        model: options.model ?? null,
        attempts: options.attempts,
        maxSteps: options.maxSteps ?? null,
        costLimitUsd: options.costLimit ?? null,
        concurrency: options.concurrency,
        name: options.name ?? null,
      });
      const headline = `Batch ${batch.batchId}: ${plural(batch.runs.length, 'fork')} of run ${runId} after step ${options.atStep}`;
      if (options.wait === true) {
        output.log(headline);
        await waitForBatch(context, batch.batchId);
        return;
      }
      output.json({ ...submittedDocument(batch, false), forkedFrom: runId, forkedAtStep: options.atStep });
      output.print(
        [headline, ...batch.runs.map((run) => `  ${run.runId}`), `Follow it with: bench watch ${batch.batchId}`].join(
          '\n',
        ),
      );
    });
}
