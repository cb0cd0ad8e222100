import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { batchDocument, renderBatch } from '../render/batch.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('status')
    .summary("a batch's state, run by run")
    .description("Show a batch's state, run by run.")
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest batch')
    .action(async (ref: string | undefined) => {
      const { queries } = await context.database();
      const report = await queries.batchStatus((await queries.findBatch(ref)).batchId);
      context.output.json(batchDocument(report));
      context.output.print(renderBatch(report, context.output.colors));
    });
}
