import { isRevoked } from '../db/index.js';
import { BenchError } from '../domain/errors.js';
import { LOST_AFTER_BEATS } from '../domain/ports/record/hosts.js';
import { showCutOff } from '../temporal/reach.js';
import { type DiskArchiver, diskArchiver } from './archive-disks.js';
import type { AssembledWorker } from './assemble.js';
import { diskGuard } from './disk-guard.js';
import { every, type Rounds } from './interval.js';
import { notifier } from './notifier.js';
import { postgresWatch } from './postgres-watch.js';
import { reap } from './reap.js';
import { isRefusal } from './refusal.js';
import { serviceFaultReporter } from './service-faults.js';
import { scheduleReconciler } from './schedule-reconciler.js';
import { signalAnswers } from './signal-answers.js';
import { stuckWorkflows } from './stuck-workflows.js';
import { workflowReconciler } from './workflow-reconciler.js';

const REPORT_MS = 30_000;
/** A crash's leftovers are removed within half a minute. */
const REAP_MS = 10_000;
/** Shorter than a disk takes to fill after new runs are refused. */
const DISK_MS = 500;
/** A client waits for the archives. */
const ARCHIVE_MS = 2_000;
/** A new episode leaves a gap, which is filled while its policy thinks. */
const WARM_MS = 500;
const RECONCILE_MS = 30_000;
/** How long a run may wait for an answer whose signal was lost. */
const ANSWERS_MS = 10_000;
const NOTIFY_MS = 10_000;

/** Besides its rounds, what continues while the host leaves. */
export interface HostRounds {
  rounds: Rounds[];
  archiver: DiskArchiver;
  beating: Rounds;
}

export function commonRounds(worker: AssembledWorker): Rounds[] {
  const { settings, services, hostId, polling, log } = worker;
  const beatMs = settings.heartbeatSeconds * 1000;
  const faultsToEvents = serviceFaultReporter(services.database.store, settings.layout.serviceFaults);
  const reportFaults = orWarn(worker, faultsToEvents, 'could not record service faults');
  void reportFaults();
  const watchPostgres = postgresWatch({
    ...{ polling, log, ask: () => services.pulse.ask(beatMs), boundMs: beatMs * LOST_AFTER_BEATS },
    unanswered: async () => {
      // For `bench hosts`; the poll needs no task.
      if (worker.isHost) await showCutOff(services.client, hostId).catch(() => undefined);
    },
  });
  return [every(REPORT_MS, reportFaults), every(beatMs, () => claimOrStop(worker)), every(beatMs, watchPostgres)];
}

export async function workflowRounds(worker: AssembledWorker): Promise<Rounds[]> {
  const { settings, services, log, patiently } = worker;
  const { client, database } = services;
  const { store, turns, notifications } = database;
  const compare = orWarn(
    worker,
    workflowReconciler({ client, store, log }),
    'could not compare PostgreSQL with Temporal',
  );
  const restartStuck = orWarn(worker, stuckWorkflows({ client, store, log }), 'could not look for stuck workflows');
  const followSchedules = orWarn(
    worker,
    scheduleReconciler({ client, schedules: database.schedules }),
    'could not compare schedules with Temporal',
  );
  const reconcile = async (): Promise<void> => {
    // Start nothing in another installation's namespace.
    await claimOrStop(worker);
    if (worker.refusal.error !== null) return;
    await compare();
    await restartStuck();
    await followSchedules();
  };
  void reconcile();
  const signalAgain = orWarn(worker, signalAnswers(client, turns), 'could not wake runs that have an answer');
  void signalAgain();
  const rounds = [every(RECONCILE_MS, reconcile), every(ANSWERS_MS, signalAgain)];
  const { notify } = settings;
  await patiently(() => (notify === null ? notifications.end() : notifications.begin()));
  if (notify === null) return rounds;
  const send = orWarn(worker, notifier(database, notify, log), 'could not look for notifications');
  return [...rounds, every(NOTIFY_MS, send)];
}

export async function hostRounds(worker: AssembledWorker): Promise<HostRounds> {
  const { settings, services, hostId, log, backends, artifacts, room, warm, departure } = worker;
  const { store } = services.database;
  // An earlier worker's warm sandboxes: the reaper removes them.
  await worker.patiently(() => store.forgetWarm(hostId, []));
  // A leaving host removes everything at its end.
  const reapOnce = async () => (departure.begun ? [] : reap(store, backends, log));
  // Not awaited: a hanging engine must not delay the other backend's runs.
  void reapOnce();
  const guard = diskGuard({
    ...{ layout: settings.layout, room, backends, store, log },
    // Half of where new runs are refused, so that running ones continue.
    lowMb: settings.minDiskFreeMb / 2,
  });
  const archiver = diskArchiver({ store, backends, artifacts, hostId, log });
  const rounds = [
    every(
      WARM_MS,
      orWarn(worker, () => warm.refill(), 'could not fill the warm pool'),
    ),
    every(
      WARM_MS,
      orWarn(worker, () => warm.dropUnbegun(), 'could not look for episodes that never began'),
    ),
    every(DISK_MS, orWarn(worker, guard, 'could not check the disk')),
    every(
      ARCHIVE_MS,
      orWarn(worker, () => archiver.round(), 'could not look for archives to make'),
    ),
    every(REAP_MS, reapOnce),
  ];
  return { rounds, archiver, beating: every(settings.heartbeatSeconds * 1000, () => beatOrStop(worker)) };
}

export const emptyWarmPool = (worker: AssembledWorker): Promise<unknown> =>
  orWarn(worker, () => worker.warm.empty(), 'could not remove the sandboxes of the warm pool')();

const orWarn =
  ({ log }: AssembledWorker, work: () => Promise<unknown>, failed: string) =>
  (): Promise<unknown> =>
    work().catch((error: unknown) => log.warn({ error: String(error) }, failed));

async function claimOrStop({ services, refusal, log }: AssembledWorker): Promise<void> {
  if (refusal.error !== null) return;
  try {
    await services.namespace.claimAgain();
  } catch (error) {
    if (isRefusal(error)) return refusal.stopFor(error, 'stopping: the namespace belongs to another database now');
    // Temporal may be away for a moment.
    log.warn({ error: String(error) }, 'could not check who owns the namespace');
  }
}

async function beatOrStop({ settings, hostId, refusal, log, beat }: AssembledWorker): Promise<void> {
  try {
    await beat();
  } catch (error) {
    if (isRevoked(settings.databaseUrl, error))
      return refusal.stopFor(revoked(hostId), 'stopping: this host was revoked');
    if (isRefusal(error)) return refusal.stopFor(error, "stopping: this host's name belongs to another machine now");
    // PostgreSQL may be away; the next registration repeats it.
    log.warn({ error: String(error) }, 'could not refresh the host');
  }
}

const revoked = (hostId: string): BenchError =>
  new BenchError('usage', `the database rejects host ${hostId}: its invitation was revoked`, {
    code: 'invitation.rejected',
    remedy: `Ask for another: \`bench hosts invite ${hostId}\`.`,
  });
