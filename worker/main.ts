import { writeFileSync } from 'node:fs';
import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { createDiskRoom } from '../backends/docker/disk-room.js';
import { createRateGovernor } from '../models/rate-governor.js';
import { BenchError } from '../domain/errors.js';
import { SIGNAL } from '../domain/messages.js';
import { LOST_AFTER_BEATS } from '../domain/ports/record/hosts.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID } from '../domain/queues.js';
import { answerListener, checkSchema, isRevoked, openDatabase, openPulse, readInstallation } from '../db/index.js';
import { modelVariables } from '../catalog/index.js';
import { connectWorker } from '../temporal/connect-worker.js';
import { showCutOff, temporalAnswers } from '../temporal/reach.js';
import { createBackends } from './backends.js';
import { workersOf } from './create-workers.js';
import { gpuInventory } from '../backends/gpus/inventory.js';
import { formerSecret, homeHostId } from '../operations/home/home-identity.js';
import { HostDeparture } from './departure.js';
import { type DiskArchiver, diskArchiver } from './archive-disks.js';
import { diskGuard } from './disk-guard.js';
import { every, type Rounds } from './every.js';
import { hostBeat, leavesAt } from './host-beat.js';
import { liveOutputs } from './live-outputs.js';
import { createLogger } from './logger.js';
import { loopbackAddress, serveMetrics } from './metrics/server.js';
import { claimNamespace, namespaceOf, refuseSecondNamespace } from '../temporal/namespace-owner.js';
import { notifier } from './notifier.js';
import { nvidiaSmi } from '../backends/gpus/nvidia-smi.js';
import { Polling } from './polling.js';
import { postgresWatch } from './postgres-watch.js';
import { patientFor } from './patiently.js';
import { secretsOf } from './redact.js';
import { workerSettings } from '../operations/home/worker-settings.js';
import { withAdmittedRuns } from './admitted-runs.js';
import { reap } from './reap.js';
import { taskFolders } from './task-folders.js';
import { signalAnswers } from './signal-answers.js';
import { warmPool } from './warm-pool.js';
import { stuckWorkflows } from './stuck-workflows.js';
import { workflowReconciler } from './workflow-reconciler.js';
import { serviceFaultReporter } from './service-faults.js';

const REPORT_MS = 30_000;
/** Interval of the reaper: what a crash leaves behind is gone within half a minute. */
const REAP_MS = 10_000;
/** Short enough that no disk fills between refusing new runs and this check. */
const DISK_MS = 500;
/** A client waits for the archives. */
const ARCHIVE_MS = 2_000;
/** An episode that begins leaves a gap, which is filled while its policy thinks. */
const WARM_MS = 500;
const RECONCILE_MS = 30_000;
/** How long a run may wait for an answer whose signal was lost. */
const ANSWERS_MS = 10_000;
const NOTIFY_MS = 10_000;
/** Shorter than the supervisor waits for a started worker. */
const START_PATIENCE_MS = 60_000;
/** GPUs assumed while the driver has not answered: the most that a machine may have. */
const GPUS_TO_COME = 16;

/** The worker's composition root: reads the environment, builds the adapters, polls until a signal stops it. */
async function main(): Promise<void> {
  const given = workerSettings(process.env);
  const sdkMetricsAddress = given.metrics === undefined ? undefined : await loopbackAddress();
  const secrets = secretsOf(process.env, modelVariables(given.configFolders).keys);
  const log = createLogger({ level: given.logLevel, secrets, sdkMetricsAddress });
  const settings = await withAdmittedRuns(given, process.env, log);
  const homeId = homeHostId(settings.layout, settings.hostname);
  const hostId = settings.hostId ?? homeId;
  const gpus = await gpuInventory(settings.gpus, nvidiaSmi());
  // Started by hand, a worker reports missing services at once.
  const patiently = patientFor(settings.readyFile === undefined ? 0 : START_PATIENCE_MS, log);
  await patiently(() => checkSchema(settings.databaseUrl));
  const database = openDatabase(settings.databaseUrl, { max: settings.databasePool });
  const { store, turns } = database;
  const answers = answerListener(settings.databaseUrl);
  const governor = createRateGovernor(database.rates);
  const { connection, client } = await patiently(() => connectWorker(settings));
  const installation = await patiently(() => readInstallation(settings.databaseUrl));
  const claim = {
    ...{ installation, machine: settings.hostname, temporalAddress: settings.temporalAddress },
    // The parent of this worker has already claimed the embedded server's namespace.
    ownServer: false,
  };
  let namespace = await patiently(() => namespaceOf(client, settings.temporalAddress));
  refuseSecondNamespace(installation, namespace, homeId);
  await patiently(() => claimNamespace(client, claim));
  const room = createDiskRoom(settings.layout);
  const backends = createBackends(settings, log, room);

  const bearsRuns = settings.roles.includes('host');
  const former = formerSecret(settings.layout);
  const keys = {
    evaluator: bearsRuns ? await patiently(() => database.keys.evaluator(former)) : null,
    sealing: await patiently(() => database.keys.sealing(former)),
  };
  const outputs = liveOutputs(store, `${hostId} ${process.pid}`);
  const artifacts = openArtifactStore(settings.artifacts);
  const departure = new HostDeparture({
    ...{ store, backends, artifacts, hostId, log, graceSeconds: settings.graceSeconds },
    sharesArtifacts: settings.artifacts.shared,
    isLent: settings.until !== null,
  });
  const beatMs = settings.heartbeatSeconds * 1000;
  const beat = hostBeat({
    reachesTemporal: () => temporalAnswers(client, beatMs),
    ...{ settings, hostId, homeId, gpus, namespace: () => namespace, store, backends, departure, log },
    watched: outputs.watched,
  });
  if (bearsRuns) await patiently(beat);
  if (bearsRuns && gpus.ids !== null && gpus.ids.length > 0) {
    await patiently(() =>
      client.workflow.signalWithStart('gpuPool', {
        workflowId: GPU_POOL_WORKFLOW_ID,
        taskQueue: CONTROL_QUEUE,
        signal: SIGNAL.hostsChanged,
        signalArgs: [],
      }),
    );
  }

  if (settings.metrics !== undefined && sdkMetricsAddress !== undefined)
    await serveMetrics(settings.metrics, () => database.queries.metrics(), sdkMetricsAddress);
  const { layout, configFolders } = settings;
  const taskFolder = taskFolders({ layout, configFolders, store, artifacts });
  const createWorkers = workersOf({
    settings,
    env: process.env,
    secrets,
    keys,
    hostId,
    gpus: gpus.ids?.length ?? GPUS_TO_COME,
    connection,
    temporal: client,
    store,
    turns,
    answers,
    governor,
    backends,
    outputs,
    departure,
    taskFolder,
    patiently,
  });
  const polling = new Polling(createWorkers, log);
  await polling.prepare();
  const warm = warmPool({ store, backends, hostId, log, most: settings.warmSandboxes, taskFolder });
  const emptyOrSay = (): Promise<void> =>
    warm
      .empty()
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not remove the sandboxes of the warm pool'));
  const leave = (why: string): void => {
    if (departure.begun) return;
    void departure.begin(why, beat).finally(() => polling.stop());
  };
  const end = leavesAt(settings);
  if (bearsRuns) process.on('SIGUSR2', () => leave('notified by SIGUSR2'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const onSignal = (): void => {
      // The batch system takes its machine back: it signals each process, and so does the command.
      if (bearsRuns && signal === 'SIGTERM' && (end !== null || departure.begun)) return leave('notified by SIGTERM');
      process.off(signal, onSignal);
      log.info({ signal }, 'stopping; running commands continue and are found again');
      polling.stop();
      if (bearsRuns) void emptyOrSay();
    };
    process.on(signal, onSignal);
  }
  log.info({ hostId, roles: settings.roles }, 'worker ready');
  if (settings.readyFile !== undefined) writeFileSync(settings.readyFile, String(process.pid));

  const faultsToEvents = serviceFaultReporter(store, settings.layout.serviceFaults);
  const reportFaults = () =>
    faultsToEvents().catch((error: unknown) => log.warn({ error: String(error) }, 'could not record service faults'));
  void reportFaults();
  // A host that leaves removes everything at its end.
  const reapOnce = async () => (departure.begun ? [] : reap(store, backends, log));
  /** Why this worker must stop: its queues belong to another installation. */
  const refusal: BenchError[] = [];
  const stopFor = (error: BenchError, why: string): void => {
    log.error({ hostId, error: error.message }, why);
    refusal.push(error);
    polling.stop();
  };
  const claimOrStop = async () => {
    if (refusal.length > 0) return;
    try {
      namespace = await namespaceOf(client, settings.temporalAddress);
      await claimNamespace(client, claim);
    } catch (error) {
      if (isRefusal(error)) return stopFor(error, 'stopping: the namespace belongs to another database now');
      // Temporal may be away for a moment.
      log.warn({ error: String(error) }, 'could not check who owns the namespace');
    }
  };
  const pulse = openPulse(settings.databaseUrl);
  const watchPostgres = postgresWatch({
    ...{ polling, log, ask: () => pulse.ask(beatMs), boundMs: beatMs * LOST_AFTER_BEATS },
    unanswered: async () => {
      // For `bench hosts`; that the poll ends without a task is no matter.
      if (bearsRuns) await showCutOff(client, hostId).catch(() => undefined);
    },
  });
  const timers = [every(REPORT_MS, reportFaults), every(beatMs, claimOrStop), every(beatMs, watchPostgres)];
  if (settings.roles.includes('workflows')) {
    const reconcile = workflowReconciler({ client, store, log });
    const restartStuck = stuckWorkflows({ client, store, log });
    const reconcileOrSay = async () => {
      // Nothing is started in a namespace of another installation, which may have taken a new store first.
      await claimOrStop();
      if (refusal.length > 0) return;
      await reconcile().catch((error: unknown) =>
        log.warn({ error: String(error) }, 'could not compare PostgreSQL with Temporal'),
      );
      await restartStuck().catch((error: unknown) =>
        log.warn({ error: String(error) }, 'could not look for stuck workflows'),
      );
    };
    void reconcileOrSay();
    const resignal = signalAnswers(client, turns);
    const tell = () =>
      resignal().catch((error: unknown) =>
        log.warn({ error: String(error) }, 'could not wake runs that have an answer'),
      );
    void tell();
    timers.push(every(RECONCILE_MS, reconcileOrSay), every(ANSWERS_MS, tell));
    const { notifications } = database;
    await patiently(() => (settings.notify === null ? notifications.end() : notifications.begin()));
    if (settings.notify !== null) {
      const notify = notifier(database, settings.notify, log);
      const notifyOrSay = () =>
        notify().catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for notifications'));
      timers.push(every(NOTIFY_MS, notifyOrSay));
    }
  }
  let archiver: DiskArchiver | undefined;
  let beating: Rounds | undefined;
  if (bearsRuns) {
    // What an earlier worker started ahead: the reaper removes it.
    await patiently(() => store.forgetWarm(hostId, []));
    const refillOrSay = () =>
      warm.refill().catch((error: unknown) => log.warn({ error: String(error) }, 'could not fill the warm pool'));
    const dropUnbegunOrSay = () =>
      warm
        .dropUnbegun()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for episodes that never began'));
    timers.push(every(WARM_MS, refillOrSay), every(WARM_MS, dropUnbegunOrSay));
    // Not awaited: an engine that hangs must not keep the runs of the other backend waiting.
    void reapOnce();
    const beatOrSay = () =>
      beat().catch((error: unknown) => {
        // Postgres may be away for a moment; the next beat says again that this host is alive.
        if (isRevoked(settings.databaseUrl, error)) return stopFor(revoked(hostId), 'stopping: this host was revoked');
        if (!isRefusal(error)) return log.warn({ error: String(error) }, 'could not refresh the host');
        stopFor(error, "stopping: this host's name belongs to another machine now");
      });
    // From half of what is left when new runs are refused: those that are there go on until then.
    const guard = diskGuard({
      ...{ layout: settings.layout, room, backends, store, log },
      lowMb: settings.minDiskFreeMb / 2,
    });
    const guardOrSay = () =>
      guard().catch((error: unknown) => log.warn({ error: String(error) }, 'could not check the disk'));
    timers.push(every(DISK_MS, guardOrSay));
    const archives = (archiver = diskArchiver({ store, backends, artifacts, hostId, log }));
    const archiveOrSay = () =>
      archives
        .round()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for archives to make'));
    timers.push(every(ARCHIVE_MS, archiveOrSay), every(REAP_MS, reapOnce));
    beating = every(beatMs, beatOrSay);
  }
  const ending = bearsRuns && end !== null ? at(end, () => leave('its time is over')) : undefined;
  try {
    await polling.run();
  } catch (error) {
    if (refusal.length === 0) throw error;
  } finally {
    clearInterval(ending);
    for (const timer of timers) void timer.stop();
    if (!departure.begun) void beating?.stop();
    if (bearsRuns) await emptyOrSay();
  }
  if (departure.begun)
    await departure.finish({ archive: async () => archiver?.last(), stopBeating: async () => beating?.stop() });
  if (refusal[0] !== undefined) throw refusal[0];
  await connection.close();
  await governor.flush();
  await answers.close();
  await pulse.close();
  await database.close();
}

const revoked = (hostId: string): BenchError =>
  new BenchError('usage', `the database rejects host ${hostId}: its invitation was revoked`, {
    code: 'invitation.rejected',
    remedy: `Ask for another: \`bench hosts invite ${hostId}\`.`,
  });

const isRefusal = (error: unknown): error is BenchError => error instanceof BenchError && error.type === 'usage';

/** A look a second: the machine's clock may be set, and a timer holds 24 days at most. */
const at = (time: Date, work: () => void): NodeJS.Timeout =>
  setInterval(() => (Date.now() >= time.getTime() ? work() : undefined), 1000);

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const text =
      error instanceof BenchError
        ? [error.message, ...(error.remedy === undefined ? [] : [error.remedy])].join('. ')
        : String(error);
    process.stderr.write(`bench worker: ${text}\n`);
    process.exit(error instanceof BenchError ? error.exitCode : 1);
  },
);
