import { availableParallelism, uptime } from 'node:os';
import type Docker from 'dockerode';
import { mountedFile } from './mounted-file.js';

/** A machine's figures change with each process, so containers could signal through them. */

const NODES = 8;
const HIDDEN = [
  ...[
    'buddyinfo',
    'diskstats',
    'interrupts',
    'key-users',
    'locks',
    'pagetypeinfo',
    'pressure',
    'schedstat',
    'slabinfo',
  ],
  ...['softirqs', 'sys/fs/dentry-state', 'sys/fs/file-nr', 'sys/fs/inode-nr', 'sys/fs/inode-state', 'vmallocinfo'],
  ...['vmstat', 'zoneinfo'],
].map((name) => `/proc/${name}`);
const OF_NODES = Array.from({ length: NODES }, (_, n) =>
  ['meminfo', 'numastat', 'vmstat'].map((name) => `/sys/devices/system/node/node${n}/${name}`),
).flat();

/** Docker's default masked paths, which a custom list replaces. */
const DOCKERS_OWN = [
  ...['acpi', 'asound', 'kcore', 'keys', 'latency_stats', 'sched_debug', 'scsi', 'timer_list', 'timer_stats'].map(
    (name) => `/proc/${name}`,
  ),
  ...['/sys/devices/virtual/powercap', '/sys/firmware'],
];

type Masks = Pick<Docker.HostConfig, 'MaskedPaths' | 'SecurityOpt'>;

/** Part of HostConfig. Podman adds our paths to its own, as a security option. */
export const hiddenFigures = (podman: boolean, securityOptions: readonly string[]): Masks =>
  podman
    ? { SecurityOpt: [...securityOptions, `mask=${[...HIDDEN, ...OF_NODES].join(':')}`] }
    : { SecurityOpt: [...securityOptions], MaskedPaths: [...DOCKERS_OWN, ...HIDDEN, ...OF_NODES] };

/** Figures of an idle machine of the container's size, mounted from `dir`, shared by containers. */
export async function madeUpFigures(dir: string, memoryBytes: number): Promise<Docker.MountSettings[]> {
  const files = { meminfo: meminfo(memoryBytes), stat: stat(), loadavg: '0.00 0.00 0.00 1/1 1\n' };
  return await Promise.all(
    Object.entries(files).map(async ([name, text]) => ({
      ...{ Type: 'bind' as const, ReadOnly: true, Target: `/proc/${name}` },
      Source: await mountedFile(dir, name, text),
    })),
  );
}

function meminfo(bytes: number): string {
  const all = Math.floor(bytes / 1024);
  const none = [
    'Buffers',
    'Cached',
    'SwapCached',
    'Active',
    'Inactive',
    'SwapTotal',
    'SwapFree',
    'Dirty',
    'Shmem',
    'Slab',
  ];
  const values = [
    ...['MemTotal', 'MemFree', 'MemAvailable'].map((name) => [name, all] as const),
    ...none.map((name) => [name, 0] as const),
  ];
  return values.map(([name, value]) => `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`).join('');
}

function stat(): string {
  const cpus = availableParallelism();
  // Zero here would make programs divide by zero.
  const idle = (many: number) => `1 0 1 ${many * 1000} 0 0 0 0 0 0`;
  const each = Array.from({ length: cpus }, (_, n) => `cpu${n} ${idle(1)}\n`);
  // `ps` needs the boot time, which is no secret; in minutes, so that the content stays the same.
  const booted = Math.round((Date.now() / 1000 - uptime()) / 60) * 60;
  return `cpu  ${idle(cpus)}\n${each.join('')}intr 0\nctxt 0\nbtime ${booted}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n`;
}
