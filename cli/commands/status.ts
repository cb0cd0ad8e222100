import type { Command } from 'commander';
import { batchStatus } from '../../operations/results/batch-status.js';
import type { CliContext } from '../context.js';
import { batchDocument, renderBatch } from '../render/batch.js';
import type { BatchDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('status')
    .summary("a batch's state, run by run")
    .description(
      "Show a batch's state: whether it is paused, its budget and what is charged to it, what runs wait for, how many were replaced, the command " +
        'that goes on from here, and run by run.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest batch')
    .action(async (ref: string | undefined) => {
      const report = await batchStatus(context, ref);
      context.output.json(batchDocument(report) satisfies BatchDocument);
      context.output.print(renderBatch(report, context.output.colors));
    });
}
