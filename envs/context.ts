import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { Environment } from '../operations/episodes/environment.js';

export interface ServerContext {
  env: Environment;
  progress: ProgressEvents;
  /** Seconds for which an episode waits for a client without a session key that lost its connection. */
  graceSeconds: number;
  /** Seconds that a reset waits for room before it is refused. */
  fullWaitSeconds: number;
  /** Whoever knows it may play; null: whoever reaches the port. */
  token: string | null;
}
