import { formatBytes } from '../../domain/text/format.js';
import type { Command } from 'commander';
import { drainHost } from '../../operations/home/hosts/drain.js';
import { listHosts } from '../../operations/home/hosts/list.js';
import { removeHost } from '../../operations/home/hosts/remove.js';
import type { CliContext } from '../context.js';
import { register as registerJoin } from './hosts-join.js';
import { register as registerSlurm } from './hosts-slurm.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';
import type { ChangedHost, HostRow, HostsDocument } from '../../domain/views/hosts.js';

const size = (mebibytes: number | null): string => formatBytes(mebibytes === null ? null : mebibytes * 2 ** 20);

const gpusOf = (host: HostRow): string =>
  host.gpus.map((gpu) => (host.busyGpus.includes(gpu) ? `${gpu} (busy)` : gpu)).join(',') || '–';

function renderHosts(context: CliContext, hosts: HostRow[]): string {
  const { colors } = context.output;
  const table = renderTable(
    hosts,
    [
      { title: 'host', value: (host) => host.hostId },
      { title: 'state', value: (host) => host.state },
      {
        title: 'runs',
        value: (host) => (host.slots === null ? String(host.activeRuns) : `${host.activeRuns}/${host.slots}`),
        align: 'right',
      },
      { title: 'cpus', value: (host) => String(host.cpus ?? '–'), align: 'right' },
      {
        title: 'memory free/all',
        value: (host) => `${size(host.memoryFreeMb)}/${size(host.memoryMb)}`,
        align: 'right',
      },
      {
        title: 'disk free/all',
        value: (host) => `${size(host.diskFreeMb)}/${size(host.diskTotalMb)}`,
        align: 'right',
      },
      { title: 'gpus', value: gpusOf },
      { title: 'backends', value: (host) => host.backends.join(', ') },
      { title: 'last seen', value: (host) => formatTime(host.seenAt) },
      { title: 'leaves', value: (host) => (host.leavesAt === null ? '–' : formatTime(host.leavesAt)) },
    ],
    colors,
  );
  const paused = hosts.filter((host) => host.pauseReason !== null && host.state === 'paused');
  const away = hosts.filter(
    (host) => host.unreachableServer !== null && (host.state === 'silent' || host.state === 'lost'),
  );
  const notes = [
    ...paused.map((host) => `${host.hostId} takes no new runs: ${host.pauseReason}`),
    ...away.map((host) => `${host.hostId} does not reach ${host.unreachableServer}`),
  ];
  return [table, ...notes].join('\n');
}

export function register(program: Command, context: CliContext): void {
  const hosts = program
    .command('hosts')
    .summary('list and manage the machines that execute runs')
    .description('List and manage the machines that execute runs.');
  hosts
    .command('list', { isDefault: true })
    .summary('list hosts (the default)')
    .description('List the machines that execute runs, their resources, and whether they take new runs.')
    .option('--all', 'include removed hosts')
    .action(async (options: { all?: true }) => {
      const rows = await listHosts(context, { includeRemoved: options.all === true });
      context.output.json({ hosts: rows } satisfies HostsDocument);
      context.output.print(
        rows.length === 0 ? 'No host has registered yet. `bench up` starts a worker here.' : renderHosts(context, rows),
      );
    });

  const change = (
    name: string,
    summary: string,
    description: string,
    work: (hostId: string) => Promise<{ said: string; state: ChangedHost['state'] }>,
  ): void => {
    hosts
      .command(name)
      .summary(summary)
      .description(description)
      .argument('<host>', 'name of the host, as in `bench hosts`')
      .action(async (hostId: string) => {
        const { said, state } = await work(hostId);
        context.output.json({ hostId, state } satisfies ChangedHost);
        context.output.print(said);
      });
  };
  change(
    'drain',
    'give a host no new runs',
    'Give a host no new runs and no GPU leases. Runs that it executes continue there.',
    async (hostId) => {
      await drainHost(context, hostId, true);
      return { said: `${hostId} takes no new runs. \`bench hosts\` shows how many are left.`, state: 'drained' };
    },
  );
  change('undrain', 'let a drained host take runs again', 'Let a drained host take runs again.', async (hostId) => {
    await drainHost(context, hostId, false);
    return { said: `${hostId} takes runs again.`, state: 'up' };
  });
  change(
    'remove',
    'remove a host that will not return',
    'Remove a host that will not return: its runs continue on other hosts, its GPUs are released. The command fails while the host is alive. ' +
      'A worker that registers under this name adds it again.',
    async (hostId) => {
      await removeHost(context, hostId);
      return { said: `${hostId} is removed; its runs continue on other hosts.`, state: 'removed' };
    },
  );
  registerJoin(hosts, context);
  registerSlurm(hosts, context);
}
