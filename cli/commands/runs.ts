import type { Command } from 'commander';
import { Option } from 'commander';
import { END_REASONS, RUN_STATUSES } from '../../domain/outcomes.js';
import type { EndReason, RunStatus } from '../../domain/outcomes.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { commaList, wholeNumber } from '../options.js';
import { listRuns } from '../../operations/results/list-runs.js';
import { renderRuns } from '../render/runs.js';
import type { RunsDocument } from '../../domain/views/runs.js';

interface RunsOptions {
  models?: string[];
  tasks?: string[];
  status?: RunStatus;
  endReason?: EndReason;
  limit: number;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('runs')
    .summary('list runs, newest first')
    .description('List runs, newest first, of one batch or of all.')
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: all batches')
    .option('--models <names>', 'only these models, comma-separated', commaList)
    .option('--tasks <ids>', 'only these tasks, comma-separated', commaList)
    .addOption(new Option('--status <status>', 'only runs in this state').choices(RUN_STATUSES))
    .addOption(new Option('--end-reason <reason>', 'only runs that ended for this reason').choices(END_REASONS))
    .option('--limit <n>', 'number of runs', wholeNumber(1, 100_000), 100)
    .action(async (ref: string | undefined, options: RunsOptions) => {
      const { runs, more } = await listRuns(context, { batch: ref, ...options });
      context.output.json({ runs, more } satisfies RunsDocument);
      context.output.print(renderRuns(runs, context.output.colors));
      if (more) context.output.print(context.output.colors.dim(`The newest ${runs.length} runs; --limit shows more.`));
    });
  addExamples(command, [
    ['bench runs spring --status running', 'running runs of a batch'],
    ['bench runs --models gpt-4o --end-reason infra_error', 'failed runs of a model, in all batches'],
  ]);
}
