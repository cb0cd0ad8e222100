import type { Command } from 'commander';
import { Option } from 'commander';
import { END_REASONS, RUN_STATUSES } from '../../domain/outcomes.js';
import type { EndReason, RunStatus } from '../../domain/outcomes.js';
import type { CliContext } from '../context.js';
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
  program
    .command('runs')
    .summary('runs, newest first')
    .description('List runs, newest first: of one batch, or of all.')
    .argument('[batch]', 'id, name, or an unambiguous part of the id; default: all batches')
    .option('--models <names>', 'only these models, by commas', commaList)
    .option('--tasks <ids>', 'only these tasks, by commas', commaList)
    .addOption(new Option('--status <status>', 'only runs in this state').choices(RUN_STATUSES))
    .addOption(new Option('--end-reason <reason>', 'only runs that ended so').choices(END_REASONS))
    .option('--limit <n>', 'at most so many', wholeNumber(1, 100_000), 100)
    .action(async (ref: string | undefined, options: RunsOptions) => {
      const { runs, more } = await listRuns(context, { batch: ref, ...options });
      context.output.json({ runs, more } satisfies RunsDocument);
      context.output.print(renderRuns(runs, context.output.colors));
      if (more) context.output.print(context.output.colors.dim(`The newest ${runs.length} runs; --limit shows more.`));
    });
}
