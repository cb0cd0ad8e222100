import type { Command } from 'commander';
import { cancel, type Cancellation } from '../../operations/batches/cancel.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import type { CancelledBatch, CancelledRun } from '../../domain/views/batch-control.js';

function render(told: Cancellation): string {
  if (told.kind === 'run')
    return told.requested
      ? `Run ${told.runId} is being cancelled: its container is removed, what it recorded stays.`
      : `Run ${told.runId} has ended already (${told.endReason ?? ''}).`;
  return told.requested
    ? `Batch ${told.batchId} is being cancelled: ${plural(told.unfinishedRuns, 'unfinished run')}. What ended before keeps its scores.`
    : `Batch ${told.batchId} is over already (${told.status}).`;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('cancel')
    .summary('stop a batch or a run')
    .description(
      'Stop a batch or a run: containers are removed, records stay. There is no way back; a new submission starts afresh.',
    )
    .argument('<id>', 'a batch or a run: id, an unambiguous part of it, or the name of a batch')
    .action(async (ref: string) => {
      const told = await cancel(context, ref);
      const { kind: _, ...document } = told;
      context.output.json(document satisfies CancelledBatch | CancelledRun);
      context.output.print(render(told));
    });
}
