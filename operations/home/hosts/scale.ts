import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { FleetReads } from '../../../domain/ports/reading/fleet.js';
import { type SlurmJob, slurmJobSchema, type SlurmScale } from '../../../domain/requests/slurm.js';
import type { ScaledJobs } from '../../../domain/views/hosts.js';
import type { BenchSettings } from '../../settings.js';
import { JobStarts } from './job-starts.js';
import { neededJobs } from './needed-jobs.js';
import { cancelJob, endJob, queuedJobs, submitJob } from './slurm-jobs.js';
import { slurmScript } from './slurm-script.js';

type JobSettings = Pick<BenchSettings, 'home' | 'layout' | 'assetsRoot' | 'databaseUrl' | 'temporalAddress'>;

export interface ScalePorts {
  settings: JobSettings;
  queries: Pick<FleetReads, 'hosts' | 'runNeeds'>;
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Names of the jobs of one home, which serves one database, begin so. */
const homePrefix = ({ home }: Pick<BenchSettings, 'home'>): string => `bench-${hashed(home)}`;

/** Jobs that differ in what they ask for have a scaler each. */
const nameOf = (settings: Pick<BenchSettings, 'home'>, request: SlurmJob): string => {
  const asked = (Object.keys(slurmJobSchema.shape) as (keyof SlurmJob)[]).map((key) => request[key] ?? null);
  return `${homePrefix(settings)}-${hashed(JSON.stringify(asked))}`;
};

/** The job of a home that has joined. */
export function jobScript(settings: JobSettings, request: SlurmJob): string {
  const { home, layout, assetsRoot, databaseUrl, temporalAddress } = settings;
  if (databaseUrl === undefined || temporalAddress === undefined || !existsSync(layout.envFile))
    throw new BenchError('usage', `the home ${home} has not joined a fleet, whose settings its jobs would take`, {
      code: 'fleet.not_joined',
      remedy: '`bench hosts invite` prints a line; run it with a BENCH_HOME that all nodes see.',
    });
  const command = [process.execPath, join(assetsRoot, 'dist', 'cli', 'main.js')];
  return slurmScript({ ...request, home, command, name: nameOf(settings, request) });
}

export interface Look {
  scaled: ScaledJobs;
  /** Jobs that ended before their host had registered. */
  failed: string[];
  /** Until another is submitted. */
  pauseSeconds: number;
}

/** One look at the queue of runs and that of jobs. */
export async function scaleSlurm(
  { settings, queries }: ScalePorts,
  request: SlurmScale,
  starts: JobStarts = new JobStarts(),
): Promise<Look> {
  const script = jobScript(settings, request);
  const ofHome = await queuedJobs(homePrefix(settings));
  // None at all: whatever they asked for.
  const jobs = request.max === 0 ? ofHome : ofHome.filter(({ name }) => name === nameOf(settings, request));
  const [hosts, needs] = await Promise.all([
    queries.hosts({ includeRemoved: starts.gone(jobs).length > 0 }),
    queries.runNeeds(),
  ]);
  const now = Date.now();
  const failed = starts.look(now, jobs, hosts);
  const present = hosts.filter(({ state }) => state !== 'removed');
  const needed = neededJobs(request, jobs, present, needs, { now, backends: starts.backends(now) });
  const submitted: string[] = [];
  for (let i = starts.allowed(now, needed.submit); i > 0; i--) {
    const jobId = await submitJob(script);
    starts.submitted(jobId);
    submitted.push(jobId);
  }
  for (const jobId of needed.cancel) {
    await cancelJob(jobId);
    starts.dismissed(jobId);
  }
  for (const jobId of needed.end) {
    await endJob(jobId);
    starts.dismissed(jobId);
  }
  const { waiting: waitingRuns, unsuitable, cancel: cancelled, end: ended } = needed;
  const scaled = { waitingRuns, unsuitable, jobs: jobs.length, submitted, cancelled, ended };
  return { scaled, failed, pauseSeconds: starts.secondsToNext(now) };
}
