import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { SlurmJob, SlurmScale } from '../../../domain/requests/slurm.js';
import type { HostRow, ScaledJobs } from '../../../domain/views/hosts.js';
import type { Bench } from '../../bench.js';
import type { BenchSettings } from '../../settings.js';
import { cancelJob, endJob, queuedJobs, type QueuedJob, submitJob } from './slurm-jobs.js';
import { hostPrefix, slurmScript } from './slurm-script.js';

export interface Needed {
  submit: number;
  cancel: string[];
  end: string[];
}

/**
 * How many jobs to add or to take away. `waiting`: runs that wait for a place that such a job would be. Jobs that have not begun, or whose
 * worker has not registered, are places to come. Runs of jobs that died with their node wait, too, though they do not say so: a silent host
 * is only judged to be lost where another one lives.
 */
export function neededJobs(
  { max, slots }: { max: number; slots: number },
  jobs: readonly QueuedJob[],
  hosts: readonly Pick<HostRow, 'hostId' | 'activeRuns' | 'state'>[],
  saidToWait: number,
): Needed {
  const isOf = (job: QueuedJob, { hostId }: { hostId: string }) => hostId.startsWith(hostPrefix(job.jobId));
  const lives = ({ state }: { state: HostRow['state'] }) => !['silent', 'lost', 'removed'].includes(state);
  // A requeued job is another host, and the one before may be in the way.
  const hostOf = (job: QueuedJob) => {
    const own = hosts.filter((host) => isOf(job, host));
    return own.find(lives) ?? own.at(-1);
  };
  const pending = jobs.filter((job) => job.state === 'pending');
  const running = jobs.filter((job) => job.state === 'running');
  const starting = running.filter((job) => hostOf(job) === undefined);
  const idle = running.filter((job) => hostOf(job)?.activeRuns === 0);
  const stranded = sum(
    hosts.filter(
      (host) => host.state === 'silent' && IS_JOB.test(host.hostId) && !running.some((job) => hostOf(job) === host),
    ),
    ({ activeRuns }) => activeRuns,
  );
  const living = running.flatMap((job) => hostOf(job) ?? []).filter(lives);
  const free = sum(living, ({ activeRuns }) => Math.max(0, slots - activeRuns));
  const waiting = saidToWait + stranded;
  const wanted = Math.ceil((saidToWait + Math.max(0, stranded - free)) / slots);
  const surplus = Math.max(0, jobs.length - max);
  // The newest first: they have waited least.
  const spare = Math.max(surplus, pending.length + starting.length - wanted);
  const cancel = pending.toReversed().slice(0, Math.max(0, Math.min(spare, pending.length)));
  const left = max === 0 ? running : waiting > 0 ? [] : [...starting, ...idle];
  return {
    submit: Math.max(0, Math.min(wanted - pending.length - starting.length, max - jobs.length)),
    cancel: cancel.map(({ jobId }) => jobId),
    end: left.map(({ jobId }) => jobId),
  };
}

const IS_JOB = new RegExp(`^${hostPrefix('\\d+')}\\d+$`);

const sum = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((all, item) => all + value(item), 0);

/** Of the jobs of one home, which serves one database. */
const nameOf = ({ home }: Pick<BenchSettings, 'home'>): string =>
  `bench-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;

/** The job of a home that has joined. */
export function jobScript(
  settings: Pick<BenchSettings, 'home' | 'layout' | 'assetsRoot' | 'databaseUrl' | 'temporalAddress'>,
  request: SlurmJob,
): string {
  const { home, layout, assetsRoot, databaseUrl, temporalAddress } = settings;
  if (databaseUrl === undefined || temporalAddress === undefined || !existsSync(layout.envFile))
    throw new BenchError('usage', `the home ${home} has not joined a fleet, whose settings its jobs would take`, {
      code: 'slurm.not_joined',
      remedy: '`bench hosts invite` prints a line; run it with a BENCH_HOME that all nodes see.',
    });
  const command = [process.execPath, join(assetsRoot, 'dist', 'cli', 'main.js')];
  return slurmScript({ ...request, home, command, name: nameOf(settings) });
}

/** One look at the queue of runs and that of jobs. */
export async function scaleSlurm(bench: Bench, request: SlurmScale): Promise<ScaledJobs> {
  const { queries } = await bench.database();
  const script = jobScript(bench.settings, request);
  const [jobs, hosts, waiting] = await Promise.all([
    queuedJobs(nameOf(bench.settings)),
    queries.hosts(),
    queries.waitingRuns({ maxGpus: request.gpus }),
  ]);
  const slots = request.gpus > 0 ? request.gpus : (request.slots ?? request.cpus);
  const needed = neededJobs({ max: request.max, slots }, jobs, hosts, waiting);
  const submitted: string[] = [];
  for (let i = 0; i < needed.submit; i++) submitted.push(await submitJob(script));
  for (const jobId of needed.cancel) await cancelJob(jobId);
  for (const jobId of needed.end) await endJob(jobId);
  return { waitingRuns: waiting, jobs: jobs.length, submitted, cancelled: needed.cancel, ended: needed.end };
}
