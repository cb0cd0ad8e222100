import type { Command } from 'commander';
import { batchStatus } from '../../operations/results/batch-status.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { batchDocument, renderBatch } from '../render/batch.js';
import type { BatchDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('status')
    .summary("show a batch's state, run by run")
    .description(
      'Show a batch: paused or not, budget and spending, what runs wait for, how many were replaced, every run, and the ' +
        'command to run next.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest batch')
    .action(async (ref: string | undefined) => {
      const report = await batchStatus(context, ref);
      context.output.json(batchDocument(report) satisfies BatchDocument);
      context.output.print(renderBatch(report, context.output.colors));
    });
  addExamples(command, [
    ['bench status', 'the latest batch'],
    ['bench status spring --json', 'a batch by its name, as JSON'],
  ]);
}
