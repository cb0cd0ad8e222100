import type { Command } from 'commander';
import { listBatches } from '../../operations/results/list-batches.js';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { renderBatches } from '../render/batches.js';
import type { BatchesDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  const batches = program.command('batches').summary('list batches, newest first').description('List batches.');
  batches
    .command('list', { isDefault: true })
    .summary('list batches, newest first (the default)')
    .description('List batches, newest first, with the states of their runs, cost, budget and age.')
    .option('--limit <n>', 'number of batches', wholeNumber(1, 100_000), 20)
    .action(async ({ limit }: { limit: number }) => {
      const { output } = context;
      const { batches: listed, total } = await listBatches(context, limit);
      output.json({
        batches: listed.map(({ runs, ...batch }) => ({ ...batch, totalRuns: runs })),
        total,
      } satisfies BatchesDocument);
      output.print(renderBatches(listed, output.colors));
      if (total > listed.length)
        output.print(output.colors.dim(`${listed.length} of ${total} batches; --limit shows more.`));
    });
}
