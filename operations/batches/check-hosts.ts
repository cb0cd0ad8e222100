import { BenchError, type RemedyFields } from '../../domain/errors.js';
import { mostForOneRun } from '../../domain/run/mig.js';
import type { Backend } from '../../domain/run/run.js';
import type { HostRow } from '../../domain/views/hosts.js';

export type Hosts = HostRow[];

interface Host {
  hostId: string;
  backends: readonly string[];
  gpus: readonly string[];
  /** Cap on the sum of its runs' memory limits, MB; null or absent: none. */
  memoryForRunsMb?: number | null;
  /** ISO time of the last registration. */
  seenAt: string;
}

/** Workers register every ten seconds, or every BENCH_HEARTBEAT_SECONDS. */
const UP_MS = 3 * 60_000;

export const isUp = ({ seenAt }: Pick<Host, 'seenAt'>, now = Date.now()): boolean => now - Date.parse(seenAt) < UP_MS;

/**
 * Refuses runs that no host can execute. If no worker has registered, or all are away, runs may
 * wait for a suitable one. Throws BenchError (usage).
 */
export function checkHosts(
  hosts: readonly Host[],
  wanted: {
    backend: Backend;
    gpus: number;
    memoryMb?: number;
    /** Names of profiles for which this many GPUs suffice. */
    profiles?: (gpus: number) => readonly string[];
  },
  now = Date.now(),
): void {
  const most = mostGpus(hosts);
  if (wanted.gpus > most)
    throw new BenchError('usage', `a run asks for ${wanted.gpus} GPUs, but no host has more than ${most}`, {
      code: 'gpus.insufficient',
      remedy:
        profileAdvice(wanted.profiles?.(most) ?? []) +
        'Ask for fewer GPUs per run, or start a worker that has them (BENCH_GPUS=0,1 before `bench up`).',
      fields: { ...profileField(wanted.profiles?.(most) ?? []), gpusPerRun: true },
    });
  const { memoryMb = 0 } = wanted;
  const offering = hosts.filter((host) => host.backends.includes(wanted.backend));
  if (offering.length > 0 && offering.every((host) => (host.memoryForRunsMb ?? Infinity) < memoryMb))
    throw new BenchError(
      'usage',
      `a run may use ${memoryMb} MB of memory, but no host that offers ${wanted.backend} has that much for its runs`,
      {
        code: 'memory.insufficient',
        remedy: 'Lower limits.memoryMb of the task, or start a worker with more memory for its runs (BENCH_MEMORY_MB).',
      },
    );
  const up = hosts.filter((host) => isUp(host, now));
  if (up.length > 0 && !up.some((host) => host.backends.includes(wanted.backend))) {
    const offers = up.map((host) => `${host.hostId}: ${host.backends.join(', ') || 'none'}`);
    throw new BenchError('usage', `no worker offers the backend ${wanted.backend} (${offers.join('; ')})`, {
      code: 'backend.not_offered',
      remedy:
        'Start its engine where a worker runs, with the same variables as that worker (BENCH_PODMAN_HOST, DOCKER_HOST; see docs/concepts/sandbox.md), ' +
        `or choose another backend. ${NEW_ENGINES}`,
      fields: { backend: true },
    });
  }
  refuseGpusElsewhere(hosts, wanted);
}

/** One host must have both the GPUs and the backend. */
function refuseGpusElsewhere(
  hosts: readonly Host[],
  { backend, gpus, profiles }: Parameters<typeof checkHosts>[1],
): void {
  if (gpus === 0) return;
  const able = hosts.filter((host) => mostForOneRun(host.gpus) >= gpus);
  if (able.length === 0 || able.some((host) => host.backends.includes(backend))) return;
  const most = mostGpus(hosts.filter((host) => host.backends.includes(backend)));
  const missing = hosts.map(({ hostId, ...host }) => {
    const lacks = [
      ...(mostForOneRun(host.gpus) < gpus ? [`has ${mostForOneRun(host.gpus) || 'no'} GPUs`] : []),
      ...(host.backends.includes(backend) ? [] : [`does not offer ${backend}`]),
    ];
    return `${hostId} ${lacks.join(' and ')}`;
  });
  const there = able.map(({ hostId }) => hostId).join(' or ');
  const fewer = most > 0 ? `ask for at most ${most} GPUs per run` : 'ask for no GPUs';
  throw new BenchError(
    'usage',
    `a run asks for ${gpus} GPUs on ${backend}, but no host has both: ${missing.join('; ')}`,
    {
      code: 'gpus.insufficient',
      remedy:
        profileAdvice(profiles?.(most) ?? []) +
        `Start the engine of ${backend} on ${there} (with the variables of the worker there; see docs/concepts/sandbox.md), or choose a backend ` +
        `that is offered there. Or: ${fewer}. ${NEW_ENGINES}`,
      fields: { ...profileField(profiles?.(most) ?? []), backend: true, gpusPerRun: String(most) },
    },
  );
}

const mostGpus = (hosts: readonly Host[]): number => Math.max(0, ...hosts.map((host) => mostForOneRun(host.gpus)));

const NEW_ENGINES = 'A worker looks for new engines every few seconds.';

const profileAdvice = (profiles: readonly string[]): string =>
  profiles.length === 0 ? '' : `Use the profile ${profiles.join(' or ')}, which needs no missing GPUs. `;

const profileField = ([profile]: readonly string[]): RemedyFields => (profile === undefined ? {} : { profile });

export function refuseGpusOnPodman(gpus: number, backend: Backend, profiles: readonly string[] = []): void {
  if (backend !== 'podman' || gpus === 0) return;
  throw new BenchError('usage', `a run asks for ${gpus} GPUs, which the podman backend cannot give to containers`, {
    code: 'gpus.unsupported',
    remedy: `${profileAdvice(profiles)}Use the backend docker, or no GPUs.`,
    fields: { ...profileField(profiles), backend: 'docker', gpusPerRun: '0' },
  });
}
