import type { SlurmScale } from '../../../domain/requests/slurm.js';
import type { HostRow, RunNeeds } from '../../../domain/views/hosts.js';
import type { QueuedJob } from './slurm-jobs.js';
import { hostPrefix, memoryForRuns } from './slurm-script.js';

export interface Needed {
  submit: number;
  cancel: string[];
  end: string[];
  /** Runs that wait for a place that such a job would be. */
  waiting: number;
  /** Others, which such a job could not take. */
  unsuitable: number;
}

/** What a host, or a job to come, still takes. */
interface Room {
  /** GPUs, or runs where a job has none. */
  places: number;
  memoryMb: number;
  seconds: number;
}

type Asked = Pick<SlurmScale, 'max' | 'hours' | 'cpus' | 'gpus' | 'slots' | 'memoryGb'>;
type Host = Pick<HostRow, 'hostId' | 'state' | 'activeRuns' | 'slots' | 'gpus' | 'busyGpus' | 'leavesAt'> &
  Pick<HostRow, 'memoryForRunsMb'>;

/** Until a job's worker is a host. */
const START_SECONDS = 120;
const IS_JOB = new RegExp(`^${hostPrefix('\\d+')}\\d+$`);

export const lives = ({ state }: Pick<HostRow, 'state'>): boolean => !['silent', 'lost', 'removed'].includes(state);
export const isOf = ({ jobId }: QueuedJob, { hostId }: Pick<HostRow, 'hostId'>): boolean =>
  hostId.startsWith(hostPrefix(jobId));

/**
 * How many jobs to add or to take away: runs are laid into the room of living hosts, then into jobs that have not begun, or whose worker
 * has not registered; the rest needs new ones. Runs of jobs that died with their node wait, too, though they do not say so: a silent host
 * is only judged to be lost where another one lives. `backends`: what such jobs offer, if that is known.
 */
export function neededJobs(
  asked: Asked,
  jobs: readonly QueuedJob[],
  hosts: readonly Host[],
  needs: readonly RunNeeds[],
  { now = Date.now(), backends }: { now?: number; backends?: readonly string[] | undefined } = {},
): Needed {
  // A requeued job is another host, and the one before may be in the way.
  const hostOf = (job: QueuedJob) => {
    const own = hosts.filter((host) => isOf(job, host));
    return own.find(lives) ?? own.at(-1);
  };
  const pending = jobs.filter((job) => job.state === 'pending');
  const running = jobs.filter((job) => job.state === 'running');
  const starting = running.filter((job) => hostOf(job) === undefined);
  const idle = running.filter((job) => hostOf(job)?.activeRuns === 0);
  const dead = new Set(
    hosts
      .filter(
        (host) => host.state === 'silent' && IS_JOB.test(host.hostId) && !running.some((job) => hostOf(job) === host),
      )
      .map(({ hostId }) => hostId),
  );

  const empty: Room = {
    places: asked.gpus > 0 ? asked.gpus : (asked.slots ?? asked.cpus),
    memoryMb: memoryForRuns(asked),
    seconds: asked.hours * 3600 - START_SECONDS,
  };
  const isOfKind = ({ gpus }: RunNeeds): boolean => gpus > 0 === asked.gpus > 0;
  const all = needs.filter((need) => isOfKind(need) && (need.hostId === null || dead.has(need.hostId)));
  const waiting = all.filter(
    (need) => amountIn(empty, need) > 0 && (backends === undefined || backends.includes(need.backend)),
  );

  const secondsLeft = ({ leavesAt }: Host): number =>
    leavesAt === null ? Infinity : (Date.parse(leavesAt) - now) / 1000;
  const open = running.flatMap((job) => hostOf(job) ?? []).filter(({ state }) => state === 'up');
  const free = open.map((host): Room => {
    const placed = needs.filter(({ hostId }) => hostId === host.hostId);
    const places =
      asked.gpus > 0
        ? host.gpus.length - host.busyGpus.length - sum(placed, ({ gpus, runs }) => gpus * runs)
        : (host.slots ?? empty.places) - sum(placed, ({ gpus, runs }) => (gpus === 0 ? runs : 0));
    const memoryMb = (host.memoryForRunsMb ?? Infinity) - sum(placed, ({ memoryMb: mb, runs }) => mb * runs);
    return { places, memoryMb, seconds: secondsLeft(host) };
  });
  const coming = [...starting, ...pending].map(() => ({ ...empty }));
  const added: Room[] = [];
  // What needs most finds least room.
  for (const need of waiting.toSorted((a, b) => b.gpus - a.gpus || (b.seconds ?? 0) - (a.seconds ?? 0))) {
    let left = need.runs;
    for (const room of [...free.toSorted((a, b) => a.seconds - b.seconds), ...coming, ...added])
      left -= fill(room, need, left);
    for (; left > 0 && added.length < asked.max; left -= fill(added.at(-1) as Room, need, left))
      added.push({ ...empty });
  }
  const unused = coming.filter(({ places }) => places === empty.places).length;

  // The newest first: they have waited least.
  const spare = Math.max(0, jobs.length - asked.max, unused);
  const cancel = pending.toReversed().slice(0, Math.min(spare, pending.length));
  const isTooLate = (host: Host | undefined): boolean =>
    host !== undefined && waiting.every(({ seconds }) => seconds !== null && seconds > secondsLeft(host));
  const left =
    asked.max === 0
      ? running
      : waiting.length > 0
        ? idle.filter((job) => isTooLate(hostOf(job)))
        : [...starting, ...idle];
  return {
    submit: Math.max(0, Math.min(added.length, asked.max - jobs.length)),
    cancel: cancel.map(({ jobId }) => jobId),
    end: left.map(({ jobId }) => jobId),
    waiting: sum(waiting, ({ runs }) => runs),
    unsuitable: sum(all, ({ runs }) => runs) - sum(waiting, ({ runs }) => runs),
  };
}

/** How many of these runs have room. */
function amountIn(room: Room, { gpus, memoryMb, seconds, runs }: RunNeeds): number {
  if ((seconds ?? 0) > room.seconds) return 0;
  const byMemory = memoryMb > 0 ? Math.floor(room.memoryMb / memoryMb) : Infinity;
  return Math.max(0, Math.min(runs, Math.floor(room.places / Math.max(1, gpus)), byMemory));
}

/** How many of those that are left were laid into it. */
function fill(room: Room, need: RunNeeds, left: number): number {
  const amount = amountIn(room, { ...need, runs: left });
  room.places -= amount * Math.max(1, need.gpus);
  room.memoryMb -= amount * need.memoryMb;
  return amount;
}

const sum = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((whole, item) => whole + value(item), 0);
