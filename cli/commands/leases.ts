import type { Command } from 'commander';
import { leases } from '../../operations/home/leases.js';
import type { CliContext } from '../context.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';
import type { LeasesDocument } from '../../domain/views/leases.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('leases')
    .summary('list GPU leases of runs, and runs that wait for GPUs')
    .description('List the GPUs that runs lease, and the runs that wait for GPUs, longest wait first.')
    .option('--all', 'include released GPUs')
    .action(async (options: { all?: true }) => {
      const { leases: held, waiting } = await leases(context, { includeReleased: options.all === true });
      context.output.json({ leases: held, waiting } satisfies LeasesDocument);
      const table = renderTable(
        held,
        [
          { title: 'host', value: (lease) => lease.hostId },
          { title: 'gpu', value: (lease) => lease.device },
          { title: 'run', value: (lease) => lease.runId },
          { title: 'granted', value: (lease) => formatTime(lease.grantedAt) },
          { title: 'revoked', value: (lease) => formatTime(lease.revokedAt) },
          { title: 'released', value: (lease) => formatTime(lease.releasedAt) },
        ],
        context.output.colors,
      );
      context.output.print(held.length === 0 ? 'No GPUs are leased.' : table);
      if (waiting.length === 0) return;
      const queue = renderTable(
        waiting,
        [
          { title: 'waiting run', value: (run) => run.runId },
          { title: 'batch', value: (run) => run.batchId },
          { title: 'gpus', value: (run) => String(run.gpus), align: 'right' },
          { title: 'since', value: (run) => formatTime(run.waitingSince) },
        ],
        context.output.colors,
      );
      context.output.print(`\n${queue}`);
    });
}
