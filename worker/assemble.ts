import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { createDiskRoom, type DiskRoom } from '../backends/docker/disk-room.js';
import type { GpuInventory } from '../backends/gpus/inventory.js';
import { SIGNAL } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Backends } from '../domain/ports/backends.js';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID } from '../domain/run/queues.js';
import { formerSecret } from '../operations/home/home-identity.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';
import { temporalAnswers } from '../temporal/reach.js';
import { createBackends } from './backends.js';
import { workersOf } from './create-workers.js';
import { HostDeparture } from './departure.js';
import { hostBeat } from './host-beat.js';
import { liveOutputs } from './live-outputs.js';
import type { Logger } from './logger.js';
import type { Patiently } from './start-retries.js';
import { Polling } from './polling.js';
import { Refusal } from './refusal.js';
import type { Services } from './services.js';
import { taskFolders } from './task-folders.js';
import { warmPool, type WarmPool } from './warm-pool.js';

/** Until the driver answers: the most that a machine may have. */
const GPUS_TO_COME = 16;

/** Known without asking a server. */
export interface WorkerIdentity {
  settings: WorkerSettings;
  env: Readonly<Record<string, string | undefined>>;
  secrets: readonly string[];
  homeId: string;
  hostId: string;
  gpus: GpuInventory;
  log: Logger;
}

/** With all adapters, not polling yet. */
export interface AssembledWorker {
  settings: WorkerSettings;
  hostId: string;
  log: Logger;
  services: Services;
  patiently: Patiently;
  isHost: boolean;
  room: DiskRoom;
  backends: Backends;
  artifacts: ArtifactStore;
  departure: HostDeparture;
  beat: () => Promise<void>;
  polling: Polling;
  refusal: Refusal;
  warm: WarmPool;
}

/** Builds the adapters, registers the host, and creates its queues' workers. */
export async function assemble(
  identity: WorkerIdentity,
  services: Services,
  patiently: Patiently,
): Promise<AssembledWorker> {
  const { settings, hostId, gpus, log } = identity;
  const { layout, configFolders } = settings;
  const { database, client } = services;
  const { store, turns } = database;
  const isHost = settings.roles.includes('host');
  const room = createDiskRoom(layout);
  const backends = createBackends(settings, log, room);
  const former = formerSecret(layout);
  const keys = {
    evaluator: isHost ? await patiently(() => database.keys.evaluator(former)) : null,
    sealing: await patiently(() => database.keys.sealing(former)),
  };
  const outputs = liveOutputs(store, `${hostId} ${process.pid}`);
  const artifacts = openArtifactStore(settings.artifacts);
  const departure = new HostDeparture({
    ...{ store, backends, artifacts, hostId, log, graceSeconds: settings.graceSeconds },
    sharesArtifacts: settings.artifacts.shared,
    isLent: settings.until !== null,
  });
  const beat = hostBeat({
    ...identity,
    ...{ store, backends, departure },
    reachesTemporal: () => temporalAnswers(client, settings.heartbeatSeconds * 1000),
    namespace: () => services.namespace.seen,
    watched: outputs.watched,
  });
  if (isHost) await patiently(beat);
  if (isHost && gpus.ids !== null && gpus.ids.length > 0) await patiently(() => announceGpus(services));
  const taskFolder = taskFolders({ layout, configFolders, store, artifacts });
  const createWorkers = workersOf({
    ...identity,
    ...{ keys, database, store, turns, backends, outputs, departure, taskFolder, patiently },
    ...{ connection: services.connection, temporal: client, answers: services.answers, governor: services.governor },
    gpus: gpus.ids?.length ?? GPUS_TO_COME,
  });
  const polling = new Polling(createWorkers, log);
  await polling.prepare();
  const warm = warmPool({ store, backends, hostId, log, most: settings.warmSandboxes, taskFolder });
  const refusal = new Refusal(polling, log, hostId);
  return {
    ...{ settings, hostId, log, services, patiently, isHost, room, backends, artifacts, departure, beat },
    ...{ polling, refusal, warm },
  };
}

/** Lets the pool of GPUs recheck its hosts; starts it if needed. */
const announceGpus = ({ client }: Services) =>
  client.workflow.signalWithStart('gpuPool', {
    workflowId: GPU_POOL_WORKFLOW_ID,
    taskQueue: CONTROL_QUEUE,
    signal: SIGNAL.hostsChanged,
    signalArgs: [],
  });
