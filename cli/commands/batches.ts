import type { Command } from 'commander';
import { batchesRequestSchema } from '../../domain/requests/reading.js';
import { listBatches } from '../../operations/results/list-batches.js';
import type { CliContext } from '../context.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { renderBatches } from '../render/batches.js';
import type { BatchesDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  const batches = program.command('batches').summary('list batches, newest first').description('List batches.');
  const { shape } = batchesRequestSchema;
  const command = batches
    .command('list', { isDefault: true })
    .summary('list batches, newest first (the default)')
    .description('List batches, newest first, with the states of their runs, cost, budget and age.')
    .action(async (options: Record<string, unknown>) => {
      const { output } = context;
      const { batches: listed, total } = await listBatches(context, requestFields(shape, options));
      output.json({
        batches: listed.map(({ runs, ...batch }) => ({ ...batch, totalRuns: runs })),
        total,
      } satisfies BatchesDocument);
      output.print(renderBatches(listed, output.colors));
      if (total > listed.length)
        output.print(output.colors.dim(`${listed.length} of ${total} batches; --limit shows more.`));
    });
  for (const option of requestOptions(shape)) command.addOption(option);
}
