import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { cancelRun } from '../operations/batches/cancel-run.js';
import type { listAgents } from '../operations/catalog/list-agents.js';
import type { acknowledgeRollouts } from '../operations/rollouts/acknowledge.js';
import type { BeginRolloutsPorts } from '../operations/rollouts/begin.js';
import type { endedRollout, endedRollouts } from '../operations/rollouts/collect.js';
import type { rolloutResult } from '../operations/rollouts/result.js';
import type { Environment } from '../operations/episodes/environment.js';
import type { episodeSnapshots, episodeSteps } from '../operations/episodes/episode-record.js';
import type { groupMetrics, trainingMetrics } from '../operations/episodes/training-metrics.js';
import type { PortsOf } from '../operations/ports-of.js';
import type { PlayPorts } from './play.js';

type RolloutPorts = BeginRolloutsPorts &
  PortsOf<
    | typeof acknowledgeRollouts
    | typeof cancelRun
    | typeof endedRollout
    | typeof endedRollouts
    | typeof listAgents
    | typeof rolloutResult
  >;

type ReadPorts = PortsOf<typeof episodeSnapshots | typeof episodeSteps | typeof groupMetrics | typeof trainingMetrics>;

type ServerPorts = PlayPorts & RolloutPorts & ReadPorts;

export interface ServerContext {
  bench: ServerPorts;
  env: Environment;
  progress: ProgressEvents;
  /** How long an episode waits for a lost client without a session key. */
  graceSeconds: number;
  fullWaitSeconds: number;
  /** Required from clients; null: every client that reaches the port may play. */
  token: string | null;
}
