import type { Command } from 'commander';
import { cancel, type Cancellation } from '../../operations/batches/cancel.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import type { CancelledBatch, CancelledRun } from '../../domain/views/batch-control.js';

function render(told: Cancellation): string {
  if (told.kind === 'run')
    return told.requested
      ? `Run ${told.runId} is being cancelled: its container is removed, its records stay.`
      : `Run ${told.runId} has already ended (${told.endReason ?? ''}).`;
  return told.requested
    ? `Batch ${told.batchId} is being cancelled: ${plural(told.unfinishedRuns, 'unfinished run')}. Runs that have ended keep their scores.`
    : `Batch ${told.batchId} has already ended (${told.status}).`;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('cancel')
    .summary('stop a batch or a run')
    .description(
      'Stop a batch or a run. Its containers are removed; its records stay. This cannot be undone: submit again to start over.',
    )
    .argument('<id>', 'a batch or a run: id, an unambiguous part of it, or the name of a batch')
    .action(async (ref: string) => {
      const told = await cancel(context, ref);
      const { kind: _, ...document } = told;
      context.output.json(document satisfies CancelledBatch | CancelledRun);
      context.output.print(render(told));
    });
}
