import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { BenchError } from '../domain/errors.js';
import { SIGNAL } from '../domain/messages.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID } from '../domain/queues.js';
import { openDatabase } from '../db/index.js';
import { createBackends } from './backends.js';
import { offeredBackends } from './offered-backends.js';
import { createWorkers } from './create-workers.js';
import { homeHostId } from './home-identity.js';
import { createLogger } from './logger.js';
import { workerSettings } from './settings.js';
import { sweepEndedRuns } from './sweep.js';

const SWEEP_MS = 30_000;

/** The worker's composition root: reads the environment, builds the adapters, polls until it is told to stop. */
async function main(): Promise<void> {
  const settings = workerSettings(process.env);
  const log = createLogger();
  const hostId = settings.hostId ?? homeHostId(settings.layout, settings.hostname);
  const database = openDatabase(settings.databaseUrl);
  const { store, humanTurns } = database;
  const connection = await NativeConnection.connect({ address: settings.temporalAddress });
  const client = new Client({
    connection: await Connection.connect({ address: settings.temporalAddress }),
    namespace: settings.temporalNamespace,
  });
  const backends = createBackends(settings, log);

  // Engines come and go while we run.
  const register = async (): Promise<void> =>
    store.registerHost({
      hostId,
      hostname: settings.hostname,
      cpus: cpus().length,
      memoryMb: Math.floor(totalmem() / 2 ** 20),
      gpus: settings.gpus,
      backends: await offeredBackends(settings.engines),
    });
  await register();
  if (settings.gpus.length > 0) {
    await client.workflow.signalWithStart('gpuPool', {
      workflowId: GPU_POOL_WORKFLOW_ID,
      taskQueue: CONTROL_QUEUE,
      signal: SIGNAL.registerHost,
      signalArgs: [{ hostId, devices: settings.gpus }],
    });
  }

  const workers = await createWorkers({
    settings,
    env: process.env,
    hostId,
    connection,
    temporal: client,
    store,
    humanTurns,
    backends,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping; running commands live on and are found again');
      for (const worker of workers) worker.shutdown();
    });
  log.info({ hostId, queues: workers.map((worker) => worker.options.taskQueue) }, 'worker ready');
  if (settings.readyFile !== undefined) writeFileSync(settings.readyFile, String(process.pid));

  // Not awaited: an engine that hangs must not keep the runs of the other backend waiting.
  void sweepEndedRuns(store, backends, log);
  const sweep = setInterval(() => {
    void sweepEndedRuns(store, backends, log);
    // Postgres may be away for a moment; the next round says again that this host is alive.
    register().catch((error: unknown) => log.warn({ error: String(error) }, 'could not refresh the host'));
  }, SWEEP_MS);
  try {
    await Promise.all(workers.map((worker) => worker.run()));
  } finally {
    clearInterval(sweep);
  }
  await connection.close();
  await database.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const text = error instanceof BenchError ? `${error.message} ${error.remedy ?? ''}` : String(error);
    process.stderr.write(`bench worker: ${text}\n`);
    process.exit(error instanceof BenchError ? error.exitCode : 1);
  },
);
