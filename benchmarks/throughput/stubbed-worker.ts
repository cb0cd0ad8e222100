/** The ordinary worker with stubbed-backend.ts as `local`, in the same environment. */
import { writeFileSync } from 'node:fs';
import { openArtifactStore } from '../../backends/artifacts/open-artifact-store.js';
import { createRateGovernor } from '../../models/rate-governor.js';
import { answerListener, openDatabase } from '../../db/index.js';
import { STAYS } from '../../domain/ports/departure.js';
import { connectWorker } from '../../temporal/connect-worker.js';
import { createBackends } from '../../worker/backends.js';
import { workersOf } from '../../worker/create-workers.js';
import { gpuInventory } from '../../backends/gpus/inventory.js';
import { homeHostId } from '../../operations/home/home-identity.js';
import { hostBeat } from '../../worker/host-beat.js';
import { liveOutputs } from '../../worker/live-outputs.js';
import { createLogger } from '../../worker/logger.js';
import { namespaceOf } from '../../temporal/namespace-owner.js';
import { nvidiaSmi } from '../../backends/gpus/nvidia-smi.js';
import { workerSettings } from '../../operations/home/worker-settings.js';
import { taskFolders } from '../../worker/task-folders.js';
import { stubbedBackend } from './stubbed-backend.js';

const env = process.env;
const settings = workerSettings(env);
const log = createLogger({ level: settings.logLevel, secrets: [] });
const hostId = homeHostId(settings.layout, settings.hostname);
const gpus = await gpuInventory({ kind: 'declared', ids: [] }, nvidiaSmi());
const database = openDatabase(settings.databaseUrl, { max: settings.databasePool });
const { store, turns, rates, keys } = database;
const { connection, client: temporal } = await connectWorker(settings);
// Before the host is registered: a registered one counts as the keys' keeper.
const ownKeys = { evaluator: await keys.evaluator(null), sealing: await keys.sealing(null) };
const backends = { ...createBackends(settings, log), local: stubbedBackend };
const namespace = await namespaceOf(temporal, settings.temporalAddress);
const beat = hostBeat({
  departure: STAYS,
  reachesTemporal: () => Promise.resolve(true),
  settings,
  hostId,
  homeId: hostId,
  gpus,
  namespace: () => namespace,
  store,
  backends,
  log,
});
await beat();
setInterval(() => void beat(), settings.heartbeatSeconds * 1000);
const createWorkers = workersOf({
  ...{ settings, env, secrets: [], hostId, gpus: 0, connection, temporal, database, log, store, turns, backends },
  answers: answerListener(settings.databaseUrl),
  outputs: liveOutputs(store, hostId),
  departure: STAYS,
  keys: ownKeys,
  taskFolder: taskFolders({ ...settings, store, artifacts: openArtifactStore(settings.artifacts) }),
  governor: createRateGovernor(rates),
  patiently: (work) => work(),
});
if (settings.readyFile !== undefined) writeFileSync(settings.readyFile, String(process.pid));
const workers = await Promise.all(createWorkers());
await Promise.all(workers.map((worker) => worker.run()));
