import type { EndReason } from '../run/outcomes.js';
import type { RunDefinition } from '../run/run.js';
import type { OffClock } from './sandbox-port.js';

export interface GatewayPort {
  /** Required in the program's calls. */
  readonly token: string;
  /** Why further calls are refused; null: they are not. */
  readonly limit: EndReason | null;
  /** Refusals, and the age of the first one. */
  readonly limitAnswers: { refusals: number; secondsAgo: number } | null;
  /** An internal fault that ends the run. */
  readonly fatal: Error | null;
  /** Why the last call failed; null: it did not. */
  readonly lastFault: Error | null;
  /** Time in which all of its calls waited for their turn, or for a retry. */
  readonly waited: OffClock;
  /** Resolves once the program must be stopped. */
  mustStop(): Promise<void>;
  /** Resolves once no call is under way. */
  settled(): Promise<void>;
}

/** Opens a run's gateway, or finds it open. `folder`: where the container finds the socket. */
export type OpenGateway = (run: RunDefinition, at: { folder: string; epoch: number }) => Promise<GatewayPort>;
