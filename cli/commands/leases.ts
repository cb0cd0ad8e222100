import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('leases')
    .summary('GPUs that runs hold')
    .description('List the GPUs that runs hold.')
    .option('--all', 'also those that were given back')
    .action(async (options: { all?: true }) => {
      const { queries } = await context.database();
      const leases = await queries.leases({ includeReleased: options.all === true });
      context.output.json({ leases });
      const table = renderTable(
        leases,
        [
          { title: 'host', value: (lease) => lease.hostId },
          { title: 'gpu', value: (lease) => lease.device },
          { title: 'run', value: (lease) => lease.runId },
          { title: 'granted', value: (lease) => formatTime(lease.grantedAt) },
          { title: 'released', value: (lease) => formatTime(lease.releasedAt) },
        ],
        context.output.colors,
      );
      context.output.print(leases.length === 0 ? 'No GPU is held.' : table);
    });
}
