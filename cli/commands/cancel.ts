import type { Command } from 'commander';
import { cancel, type Cancellation } from '../../operations/batches/cancel.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import type { CancelledBatch, CancelledRun } from '../../domain/views/batch-control.js';

function render(cancellation: Cancellation): string {
  if (cancellation.kind === 'run')
    return cancellation.requested
      ? `Run ${cancellation.runId} is being cancelled: its container is removed, its records stay.`
      : `Run ${cancellation.runId} has already ended (${cancellation.endReason ?? ''}).`;
  return cancellation.requested
    ? `Batch ${cancellation.batchId} is being cancelled: ${plural(cancellation.unfinishedRuns, 'unfinished run')}. Runs that have ended keep their scores.`
    : `Batch ${cancellation.batchId} has already ended (${cancellation.status}).`;
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
      const cancellation = await cancel(context, ref);
      const { kind: _, ...document } = cancellation;
      context.output.json(document satisfies CancelledBatch | CancelledRun);
      context.output.print(render(cancellation));
    });
}
