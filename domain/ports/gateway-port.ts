import type { EndReason } from '../run/outcomes.js';
import type { RunDefinition } from '../run/run.js';

/** The gateway of one run, on this host. */
export interface GatewayPort {
  /** What the program's calls must bring. */
  readonly token: string;
  /** Why no further call is made; null: calls are made. */
  readonly limit: EndReason | null;
  /** Answers that said so, and how long ago the first was given; null: none was. */
  readonly limitAnswers: { refusals: number; secondsAgo: number } | null;
  /** A fault of our own, after which the run cannot continue. */
  readonly fatal: Error | null;
  /** Why the last call that was made brought no answer; null: it brought one. */
  readonly lastFault: Error | null;
  /** Resolves once the program must be stopped. */
  mustStop(): Promise<void>;
  /** Resolves once no call is under way. */
  settled(): Promise<void>;
}

/** Opens a run's gateway, or finds it open; `folder`: where the container of that epoch finds the socket. */
export type OpenGateway = (run: RunDefinition, at: { folder: string; epoch: number }) => Promise<GatewayPort>;
