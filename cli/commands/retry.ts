import type { Command } from 'commander';
import { retry } from '../../operations/batches/retry.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { plural } from '../../domain/text/format.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { RetryDocument } from '../../domain/views/batch-control.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('retry')
    .summary('rerun runs that failed through no fault of the agent')
    .description(
      'Rerun runs that the infrastructure ended. New runs in the same batch replace them, and the leaderboard counts those. Runs with a score are never rerun.',
    )
    .argument('<id>', 'a batch or a run: id, an unambiguous part of it, or the name of a batch')
    .option('--all', 'rerun every unscored run: infra_error, config_error, cancelled, budget')
    .option('--wait', 'show progress until all runs of the batch have ended; Ctrl-C leaves them running')
    .action(async (ref: string, options: { all?: true; wait?: true }) => {
      const { output } = context;
      const { batchId, ends, runs } = await retry(context, ref, { all: options.all === true });
      if (options.wait === true && runs.length > 0) {
        output.log(`Batch ${batchId}: ${plural(runs.length, 'run')} to rerun`);
        await waitForBatch(context, batchId);
        return;
      }
      output.json({ batchId, runs } satisfies RetryDocument);
      output.print(
        runs.length === 0
          ? `Nothing to rerun: no run that ended with ${ends.join(', ')} lacks a replacement.${options.all === true ? '' : ' --all includes config_error, cancelled and budget.'}`
          : [
              `Batch ${batchId}: ${plural(runs.length, 'run')} to rerun`,
              ...runs.map((run) => `  ${run.runId} replaces ${run.replaces}`),
              `Follow it: bench watch ${batchId}`,
            ].join('\n'),
      );
    });
  addExamples(command, [
    ['bench retry spring', 'rerun what the infrastructure ended'],
    ['bench retry spring --all --wait', 'rerun every unscored run and wait'],
  ]);
}
