import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('hosts')
    .summary('machines that bear runs')
    .description('List the machines that bear runs, and what they have.')
    .action(async () => {
      const { queries } = await context.database();
      const hosts = await queries.hosts();
      context.output.json({ hosts });
      const table = renderTable(
        hosts,
        [
          { title: 'host', value: (host) => host.hostId },
          { title: 'name', value: (host) => host.hostname ?? '–' },
          { title: 'cpus', value: (host) => String(host.cpus ?? '–'), align: 'right' },
          { title: 'memory', value: (host) => (host.memoryMb === null ? '–' : `${host.memoryMb} MB`), align: 'right' },
          { title: 'gpus', value: (host) => host.gpus.join(',') || '–' },
          { title: 'backends', value: (host) => host.backends.join(', ') },
          { title: 'active runs', value: (host) => String(host.activeRuns), align: 'right' },
          { title: 'last seen', value: (host) => formatTime(host.seenAt) },
        ],
        context.output.colors,
      );
      context.output.print(hosts.length === 0 ? 'No host has registered yet. `bench up` starts a worker here.' : table);
    });
}
