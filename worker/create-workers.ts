import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { commandActivities, executeCommand } from '../activities/command.js';
import { containerActivities, startPlacedHere } from '../activities/container.js';
import { controlActivities } from '../activities/control.js';
import { evaluateActivities } from '../activities/evaluate.js';
import { hiddenEvaluationActivities } from '../activities/evaluate-hidden.js';
import { openArtifactStore } from '../backends/artifacts/open-artifact-store.js';
import { activityInterceptors } from '../activities/interceptors/index.js';
import { createGateways } from '../gateway/gateways.js';
import { meteredCalls } from '../models/gateway/metered-calls.js';
import { createPlayers } from '../models/players.js';
import { providerAccess } from '../models/provider-access.js';
import { createProviderModels } from '../models/provider-models.js';
import { answerWithin } from '../activities/answer-within.js';
import { modelActivities, nextAction } from '../activities/next-action.js';
import { sliceActivities } from '../activities/play-steps.js';
import { programActivities } from '../activities/program.js';
import { snapshotActivities, takeSnapshot } from '../activities/snapshot.js';
import { takeSubmissionActivities } from '../activities/take-submission.js';
import { TurnsUnderWay } from '../activities/turns-under-way.js';
import { PromptHistories } from '../activities/prompt-histories.js';
import { RunDefinitions } from '../activities/run-definitions.js';
import type { Database } from '../db/index.js';
import type { Backends } from '../domain/ports/backends.js';
import type { WatchedCommands } from '../domain/ports/watched-commands.js';
import type { Turns } from '../domain/ports/turns.js';
import type { Departure } from '../domain/ports/departure.js';
import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { RateGovernor } from '../domain/ports/rate-governor.js';
import type { RunStore } from '../domain/ports/run-store.js';
import type { RunDefinition } from '../domain/run/run.js';
import { CONTROL_QUEUE, evaluationQueue, hostQueue, isKeyless, modelQueue } from '../domain/run/queues.js';
import { activityLogInterceptors } from './log-fields.js';
import type { Logger } from './logger.js';
import type { Patiently } from './start-retries.js';
import type { WorkerRole, WorkerSettings } from '../operations/home/worker-settings.js';
import { programFolder } from '../backends/program-folder.js';
import { scheduledWork } from './scheduled-work.js';
import { workerIdentity } from './worker-identity.js';

export interface WorkerParts {
  settings: WorkerSettings;
  env: Readonly<Record<string, string | undefined>>;
  secrets: readonly string[];
  hostId: string;
  /** From the database; `evaluator` null: this worker plays no runs. */
  keys: { evaluator: string | null; sealing: string };
  gpus: number;
  connection: NativeConnection;
  temporal: Client;
  database: Database;
  log: Logger;
  store: RunStore;
  turns: Turns;
  answers: ProgressEvents;
  governor: RateGovernor;
  backends: Backends;
  outputs: WatchedCommands;
  departure: Departure;
  taskFolder: (run: Pick<RunDefinition, 'task' | 'taskHash'>) => Promise<string>;
  patiently: Patiently;
}

const CONTROL_ACTIVITIES = 100;

/** One Temporal worker per task queue. The previous workers must have ended. */
export function workersOf(parts: WorkerParts): () => Promise<Worker>[] {
  const { settings, hostId, store, departure } = parts;
  const { players, gateways, containers, turns, commands, snapshots, submissions, evaluations } = adaptersOf(parts);
  const worker = (taskQueue: string, activities: object, options: Partial<WorkerOptions>): Promise<Worker> =>
    pollerOf(parts, taskQueue, activities, options);

  const byRole: Record<WorkerRole, () => Promise<Worker>[]> = {
    workflows: () => [
      worker(
        CONTROL_QUEUE,
        {
          ...controlActivities({
            ...{ store, temporal: parts.temporal },
            ...(settings.roles.includes('host') && { startHere: startPlacedHere({ hostId, departure }, containers) }),
          }),
          ...scheduledWork(parts),
        },
        {
          ...workflowCode(),
          maxCachedWorkflows: 500,
          // Placements that start a container must not delay others.
          maxConcurrentActivityTaskExecutions: CONTROL_ACTIVITIES + settings.slots + parts.gpus,
        },
      ),
    ],
    host: () => [
      worker(
        hostQueue(hostId),
        {
          ...containers,
          ...programActivities({ ...commands, gateway: gateways.open }),
          ...commandActivities(commands),
          ...modelActivities(turns),
          ...sliceActivities({
            ...{ store, departure, turns: turns.turns },
            callsModel: (provider) => settings.roles.includes('models') || isKeyless(provider),
            nextAction: (at, fence, signal) => nextAction(turns, at, fence, signal),
            executeCommand: (args, signal, decided) => executeCommand(commands, args, signal, decided),
            snapshot: (args, signal) => takeSnapshot(snapshots, args, signal),
            answerWithin: (turn, ms, signal) => answerWithin(parts, turn, ms, signal),
          }),
          ...takeSubmissionActivities(submissions),
          ...snapshotActivities(snapshots),
        },
        // One per run; runs with a lease come on top of the slots.
        { maxConcurrentActivityTaskExecutions: settings.slots + parts.gpus },
      ),
      worker(
        evaluationQueue(hostId),
        {
          ...evaluateActivities(evaluations),
          ...hiddenEvaluationActivities(evaluations),
        },
        { maxConcurrentActivityTaskExecutions: settings.evaluations },
      ),
    ],
    models: () =>
      [...players.keys()].map((provider) =>
        worker(modelQueue(provider), modelActivities(turns), {
          maxConcurrentActivityTaskExecutions: settings.slots,
        }),
      ),
  };
  return () => settings.roles.flatMap((role) => byRole[role]());
}

function adaptersOf(parts: WorkerParts) {
  const { settings, hostId, store, backends, departure } = parts;
  const definitions = new RunDefinitions(store);
  const artifacts = openArtifactStore(settings.artifacts);
  const { taskFolder } = parts;
  // Only hosts evaluate and serve gateways.
  const secret = parts.keys.evaluator ?? '';
  const models = createProviderModels(parts.env, parts.secrets, parts.keys.sealing);
  const players = createPlayers({
    ...{ store, models, taskFolder, turns: parts.turns, governor: parts.governor, worker: workerIdentity() },
  });

  const access = providerAccess(parts.env, parts.secrets, parts.keys.sealing);
  const gateways = createGateways({
    ...{ store, secret },
    openCalls: (run) => meteredCalls({ store, governor: parts.governor, access }, run),
  });
  const programs = {
    folder: (run: RunDefinition) => programFolder(run.agent.program, settings.layout.programs),
    close: gateways.close,
  };

  const turns = { store, definitions, histories: new PromptHistories(), players, turns: new TurnsUnderWay() };
  const commands = { store, definitions, backends, artifacts, taskFolder, watched: parts.outputs, departure };
  const snapshots = { store, definitions, backends, artifacts, hostId, sharesArtifacts: settings.artifacts.shared };

  const containers = containerActivities({ store, definitions, backends, artifacts, hostId, taskFolder, programs });
  const submissions = { store, definitions, backends, artifacts, taskFolder };
  const evaluations = { ...submissions, secret, departure };
  return { players, gateways, containers, turns, commands, snapshots, submissions, evaluations };
}

function pollerOf(
  parts: WorkerParts,
  taskQueue: string,
  activities: object,
  options: Partial<WorkerOptions>,
): Promise<Worker> {
  const { store, departure } = parts;
  return parts.patiently(() =>
    Worker.create({
      connection: parts.connection,
      namespace: parts.settings.temporalNamespace,
      taskQueue,
      interceptors: { activity: [activityLogInterceptors, ...activityInterceptors({ store, departure })] },
      activities,
      // Commands and calls survive the worker, so stopping needs little time.
      shutdownGraceTime: '1 second',
      shutdownForceTime: '10 seconds',
      // A cancel request arrives with the answer to a heartbeat: within two seconds.
      maxHeartbeatThrottleInterval: '1500 milliseconds',
      ...options,
    }),
  );
}

/** The built bundle, else the sources (tests). */
function workflowCode(): Partial<WorkerOptions> {
  const bundle = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const compiled = fileURLToPath(new URL('../workflows/index.js', import.meta.url));
  return { workflowsPath: existsSync(compiled) ? compiled : compiled.replace(/\.js$/, '.ts') };
}
