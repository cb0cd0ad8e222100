import type { Command } from 'commander';
import { retry } from '../../operations/batches/retry.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { RetryDocument } from '../../domain/views/batch-control.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('retry')
    .summary('repeat runs that failed by no fault of the agent')
    .description(
      'Repeat runs that the infrastructure ended, by new runs of the same batch that replace them; the leaderboard counts those. Runs that have a score of their own are never repeated.',
    )
    .argument('<id>', 'a batch or a run: id, an unambiguous part of it, or the name of a batch')
    .option('--all', 'repeat every run that ended unscored: infra_error, config_error, cancelled, budget')
    .option('--wait', 'show progress until all runs of the batch have ended; Ctrl-C leaves them running')
    .action(async (ref: string, options: { all?: true; wait?: true }) => {
      const { output } = context;
      const { batchId, ends, runs } = await retry(context, ref, { all: options.all === true });
      if (options.wait === true && runs.length > 0) {
        output.log(`Batch ${batchId}: ${plural(runs.length, 'run')} repeated`);
        await waitForBatch(context, batchId);
        return;
      }
      output.json({ batchId, runs } satisfies RetryDocument);
      output.print(
        runs.length === 0
          ? `Nothing to repeat: no run that ended as ${ends.join(', ')} is without a replacement.${options.all === true ? '' : ' --all takes config_error, cancelled and budget too.'}`
          : [
              `Batch ${batchId}: ${plural(runs.length, 'run')} repeated`,
              ...runs.map((run) => `  ${run.runId} replaces ${run.replaces}`),
              `Follow it with: bench watch ${batchId}`,
            ].join('\n'),
      );
    });
}
