import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { Environment } from '../operations/episodes/environment.js';

export interface DoorContext {
  env: Environment;
  progress: ProgressEvents;
  /** Whoever knows it may play; null: whoever reaches the port. */
  token: string | null;
}
