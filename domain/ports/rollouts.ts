import type { EndReason, FinalEvaluation } from '../run/outcomes.js';
import type { CaptureLevel } from '../rollouts/captured-tokens.js';
import type { RolloutCall } from '../rollouts/training-turn.js';

export interface RolloutRow {
  runId: string;
  /** The trainer's own id, or else the run's. */
  rolloutId: string;
  /** Delivery order among ended rollouts; null: not delivered yet. */
  endSequence: number | null;
  task: string;
  seed: number;
  agent: string;
  model: string;
  backend: string;
  capture: CaptureLevel;
  labels: Record<string, unknown>;
  group: string | null;
  policyVersion: number | null;
  started: boolean;
  ended: boolean;
  endReason: EndReason | null;
  finalEvaluation: FinalEvaluation | null;
  /** What failed, for people. */
  detail: string | null;
  steps: number;
  /** Null: not evaluated, or an internal fault. */
  reward: number | null;
  gain: number | null;
  /** An internal fault. */
  fault: string | null;
  /** From start to end, or to now. */
  seconds: number;
  acknowledged: boolean;
}

export interface EndedRollouts {
  batchId: string;
  /** Sequence numbers above this one. */
  after: number;
  /** Values as text. */
  labels: readonly (readonly [name: string, value: string])[];
  group: string | null;
  limit: number;
}

export interface Rollouts {
  /** By the trainer's id or the run's. */
  find(id: string): Promise<RolloutRow | null>;
  /** Ended, unacknowledged, by `endSequence`: later ends get higher numbers than delivered ones. */
  ended(of: EndedRollouts): Promise<RolloutRow[]>;
  /** Answered model calls, in order; acknowledging a rollout removes them. */
  calls(runId: string): Promise<RolloutCall[]>;
  /** Allow removal of these, by any id. Returns the given ids of those that have ended. */
  acknowledge(batchId: string, ids: readonly string[]): Promise<string[]>;
}
