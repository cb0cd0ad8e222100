import type { Command } from 'commander';
import type { ArchivedDocument } from '../../domain/views/deletion.js';
import { planBatchDeletion } from '../../operations/records/deletion/delete.js';
import { archiveBatch, labelBatch } from '../../operations/records/deletion/label.js';
import { addExamples } from '../examples.js';
import { registerDelete } from './delete.js';
import { registerLabel } from './label.js';
import { batchesRequestSchema } from '../../domain/requests/reading.js';
import { listBatches } from '../../operations/results/list-batches.js';
import type { CliContext } from '../context.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { renderBatches } from '../render/batches.js';
import type { BatchesDocument } from '../../domain/views/batches.js';

export function register(program: Command, context: CliContext): void {
  const batches = program
    .command('batches')
    .summary('list, archive, delete and label batches')
    .description('List, archive, delete and label batches.');
  const { shape } = batchesRequestSchema;
  const command = batches
    .command('list', { isDefault: true })
    .summary('list batches, newest first (the default)')
    .description(
      'List batches, newest first, with the states of their runs, cost, budget and age. Omits archived ones.',
    )
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
  registerArchive(batches, context);
  registerDelete<string>(batches, context, {
    argument: '<batch>',
    what: 'a batch',
    plan: (ref) => planBatchDeletion(context, ref),
  });
  registerLabel(batches, context, 'batch', (ref, request) => labelBatch(context, ref, request));
  addExamples(batches, [
    ['bench batches archive spring', 'lists and leaderboards over all batches omit it'],
    ['bench batches delete spring --dry-run', 'what would be deleted'],
    ["bench batches label spring --tag paper --note 'with the old prompts'", 'for people who search'],
  ]);
}

function registerArchive(batches: Command, context: CliContext): void {
  batches
    .command('archive')
    .summary('have lists and default leaderboards omit a batch')
    .description(
      'Archive a batch: lists, and leaderboards over all batches, omit it. Nothing is removed, and it can still be named.',
    )
    .argument('<batch>', 'id, name, or an unambiguous part of the id')
    .option('--undo', 'list it again')
    .action(async (ref: string, { undo = false }: { undo?: boolean }) => {
      const { output } = context;
      const document = await archiveBatch(context, ref, { undo });
      output.json(document satisfies ArchivedDocument);
      output.print(`${document.batchId} is ${document.archivedAt === null ? 'listed again' : 'archived'}.`);
    });
}
