import type { Command } from 'commander';
import { runsRequestSchema } from '../../domain/requests/reading.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { listRuns } from '../../operations/results/list-runs.js';
import { planRunDeletion } from '../../operations/records/deletion/delete.js';
import { labelRun } from '../../operations/records/deletion/label.js';
import { renderRuns } from '../render/runs.js';
import { registerDelete } from './delete.js';
import { registerLabel } from './label.js';
import type { RunsDocument } from '../../domain/views/runs.js';

export function register(program: Command, context: CliContext): void {
  const runs = program
    .command('runs')
    .summary('list, delete and label runs')
    .description('List, delete and label runs.');
  const command = runs
    .command('list', { isDefault: true })
    .summary('list runs, newest first (the default)')
    .description('List runs, newest first, of one batch or of all.')
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: all batches')
    .action(async (ref: string | undefined, options: Record<string, unknown>) => {
      const fields = requestFields(runsRequestSchema.shape, options);
      const { runs: listed, more } = await listRuns(context, { batch: ref, ...fields });
      context.output.json({ runs: listed, more } satisfies RunsDocument);
      context.output.print(renderRuns(listed, context.output.colors));
      if (more)
        context.output.print(context.output.colors.dim(`The newest ${listed.length} runs; --limit shows more.`));
    });
  for (const option of requestOptions(runsRequestSchema.shape, { without: ['batch'] })) command.addOption(option);
  registerDelete<string[]>(runs, context, {
    argument: '<runs...>',
    what: 'runs',
    plan: (refs) => planRunDeletion(context, refs),
  });
  registerLabel(runs, context, 'run', (ref, request) => labelRun(context, ref, request));
  addExamples(runs, [
    ['bench runs spring --status running', 'running runs of a batch'],
    ['bench runs --flag tried', 'runs that tried to cheat'],
    ['bench runs delete kdvxf2 --dry-run', 'what would be deleted'],
    ['bench runs --models gpt-4o --end-reason infra_error', 'failed runs of a model, in all batches'],
  ]);
}
