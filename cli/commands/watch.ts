import type { Command } from 'commander';
import { findBatch } from '../../operations/results/find-batch.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { batchDocument, batchFaults, batchHeadline } from '../render/batch.js';
import type { BatchDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('watch')
    .summary('live progress of a batch')
    .description(
      'Show a batch live until it is over: phase, step, score, cost, and what time and spending to expect; a table on a ' +
        'terminal (per model and task above 100 runs), else a line per change. Ctrl-C leaves it running.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest batch')
    .action(async (ref: string | undefined) => {
      const { output } = context;
      const { batchId } = await findBatch(context, ref);
      const { report, detached } = await followBatch(context, batchId, 'stdout');
      if (report !== null) output.json(batchDocument(report) satisfies BatchDocument);
      if (detached || report === null) {
        output.log(detachedAdvice(batchId));
        return;
      }
      if (!output.interactive) output.print(batchHeadline(report, output.colors));
      for (const fault of batchFaults(report)) output.print(output.colors.red(fault));
    });
}
