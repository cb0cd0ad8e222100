import type { Command } from 'commander';
import { pause } from '../../operations/batches/pause.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import type { PauseDocument } from '../../domain/views/batch-control.js';

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
      const outcome = await pause(context, ref);
      const { batchId, paused, status, queuedRuns, runningRuns } = outcome;
      output.json(outcome satisfies PauseDocument);
      output.print(
        paused
          ? `Batch ${batchId} is paused: ${plural(runningRuns, 'run')} in flight ${runningRuns === 1 ? 'goes' : 'go'} on, ${queuedRuns} not begun wait. \`bench resume ${batchId}\` goes on.`
          : `Batch ${batchId} is over already (${status}).`,
      );
    });
}
