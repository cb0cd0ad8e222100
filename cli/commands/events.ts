import type { Command } from 'commander';
import type { EventRow } from '../../db/index.js';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { formatTime, oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { resolveRunOrBatch } from '../resolve-id.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('events')
    .summary('faults, retries, recoveries')
    .description('List what went wrong and how it was mended: each fault, retry and recovery of a run or a batch.')
    .argument('[id]', 'a run or a batch; default: everything')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 100_000), 200)
    .action(async (ref: string | undefined, options: { limit: number }) => {
      const { colors, width } = context.output;
      const { queries } = await context.database();
      const filter: { runId?: string; batchId?: string } = {};
      const of = ref === undefined ? null : await resolveRunOrBatch(context, ref);
      if (of?.kind === 'run') filter.runId = of.run.runId;
      if (of?.kind === 'batch') filter.batchId = of.batch.batchId;
      const events = await queries.events({ ...filter, limit: options.limit });
      context.output.json({ events });
      const table = renderTable<EventRow>(
        events,
        [
          { title: 'time', value: (event) => formatTime(event.at) },
          { title: 'of', value: (event) => event.runId ?? event.batchId ?? '–' },
          { title: 'event', value: (event) => event.kind },
          { title: 'detail', value: (event) => oneLine(event.detail, Math.max(40, width - 70)) },
        ],
        colors,
      );
      context.output.print(events.length === 0 ? 'No events: nothing went wrong.' : table);
    });
}
