import type { Command } from 'commander';
import { findBatch } from '../../operations/results/find-batch.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { batchDocument, batchFaults, batchHeadline } from '../render/batch.js';
import { logPageLink } from '../serve-page.js';
import type { BatchDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('watch')
    .summary('follow a batch live')
    .description(
      'Follow a batch until it ends: phase, step, score, cost, and the expected time and spending. A terminal shows a table ' +
        '(per model and task above 100 runs), a pipe gets a line per change. Ctrl-C leaves the batch running. A batch of episodes never ends.',
    )
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: the latest batch')
    .action(async (ref: string | undefined) => {
      const { output } = context;
      const { batchId } = await findBatch(context, ref);
      await logPageLink(context, `/batches/${batchId}`);
      const { report, detached } = await followBatch(context, batchId, { where: 'stdout' });
      if (report !== null) output.json(batchDocument(report) satisfies BatchDocument);
      if (detached || report === null) {
        output.log(detachedAdvice(batchId));
        return;
      }
      if (!output.interactive) output.print(batchHeadline(report, output.colors));
      for (const fault of batchFaults(report)) output.print(output.colors.red(fault));
    });
  addExamples(command, [
    ['bench watch', 'the latest batch'],
    ['bench watch spring', 'a batch by its name'],
  ]);
}
