import type { Command } from 'commander';
import { pause } from '../../operations/batches/pause.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import type { PauseDocument } from '../../domain/views/batch-control.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('pause')
    .summary('stop starting runs of a batch')
    .description(
      'Start no more runs of a batch until `bench resume <batch>`. Runs that have started continue to their end and keep their GPUs and containers.',
    )
    .argument('<batch>', 'id, name, or an unambiguous part of the id')
    .action(async (ref: string) => {
      const { output } = context;
      const outcome = await pause(context, ref);
      const { batchId, paused, status, queuedRuns, runningRuns } = outcome;
      output.json(outcome satisfies PauseDocument);
      output.print(
        paused
          ? `Batch ${batchId} is paused: ${plural(runningRuns, 'running run')} ${runningRuns === 1 ? 'continues' : 'continue'}, ${queuedRuns} not started. Resume it: bench resume ${batchId}`
          : `Batch ${batchId} has already ended (${status}).`,
      );
    });
}
