import { writeFileSync } from 'node:fs';
import { gpuInventory } from '../backends/gpus/inventory.js';
import { nvidiaSmi } from '../backends/gpus/nvidia-smi.js';
import { modelVariables } from '../catalog/index.js';
import { BenchError } from '../domain/errors.js';
import { homeHostId } from '../operations/home/home-identity.js';
import { workerSettings } from '../operations/home/worker-settings.js';
import { useProxies } from '../transport/proxies.js';
import { withAdmittedRuns } from './admitted-runs.js';
import { assemble, type AssembledWorker, type WorkerIdentity } from './assemble.js';
import { createLogger } from './logger.js';
import { loopbackAddress, serveMetrics } from './metrics/server.js';
import { patientFor } from './start-retries.js';
import { secretsOf } from './redact.js';
import { commonRounds, emptyWarmPool, hostRounds, workflowRounds } from './periodic-work.js';
import { openServices } from './services.js';
import { listenForItsEnd } from './stop-signals.js';

/** Shorter than the supervisor's wait for a started worker. */
const START_PATIENCE_MS = 60_000;

/** Reads the environment, builds the adapters, polls until a signal stops it. */
async function main(): Promise<void> {
  useProxies(process.env);
  const given = workerSettings(process.env);
  const sdkMetricsAddress = given.metrics === undefined ? undefined : await loopbackAddress();
  const identity = await identify(given, sdkMetricsAddress);
  const { settings, homeId, hostId, log } = identity;
  // Started by hand, a worker reports missing services at once.
  const patiently = patientFor(settings.readyFile === undefined ? 0 : START_PATIENCE_MS, log);
  const services = await openServices(settings, homeId, patiently);
  const worker = await assemble(identity, services, patiently);
  if (settings.metrics !== undefined && sdkMetricsAddress !== undefined)
    await serveMetrics(settings.metrics, () => services.database.queries.metrics(), sdkMetricsAddress);
  const stopListening = listenForItsEnd(worker);
  log.info({ hostId, roles: settings.roles }, 'worker ready');
  if (settings.readyFile !== undefined) writeFileSync(settings.readyFile, String(process.pid));
  await pollUntilStopped(worker, stopListening);
  if (worker.refusal.error !== null) throw worker.refusal.error;
  await services.close();
}

async function identify(
  given: WorkerIdentity['settings'],
  sdkMetricsAddress: string | undefined,
): Promise<WorkerIdentity> {
  const { env } = process;
  const secrets = secretsOf(env, modelVariables(given.configFolders).keys);
  const log = createLogger({ level: given.logLevel, secrets, sdkMetricsAddress });
  const settings = await withAdmittedRuns(given, env, log);
  const homeId = homeHostId(settings.layout, settings.hostname);
  const hostId = settings.hostId ?? homeId;
  return { settings, env, secrets, homeId, hostId, gpus: await gpuInventory(settings.gpus, nvidiaSmi()), log };
}

/** Until stopped; a leaving host hands its runs over. */
async function pollUntilStopped(worker: AssembledWorker, stopListening: () => void): Promise<void> {
  const { settings, isHost, departure, polling, refusal } = worker;
  const rounds = commonRounds(worker);
  if (settings.roles.includes('workflows')) rounds.push(...(await workflowRounds(worker)));
  const host = isHost ? await hostRounds(worker) : undefined;
  try {
    await polling.run();
  } catch (error) {
    if (refusal.error === null) throw error;
  } finally {
    stopListening();
    for (const round of [...rounds, ...(host?.rounds ?? [])]) void round.stop();
    if (!departure.begun) void host?.beating.stop();
    if (isHost) await emptyWarmPool(worker);
  }
  if (departure.begun)
    await departure.finish({
      archive: async () => host?.archiver.last(),
      stopBeating: async () => host?.beating.stop(),
    });
}

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
