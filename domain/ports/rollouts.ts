import type { EndReason, FinalEvaluation } from '../run/outcomes.js';
import type { CaptureLevel } from '../rollouts/captured-tokens.js';
import type { RolloutCall } from '../rollouts/training-turn.js';

/** A rollout as the record has it. */
export interface RolloutRow {
  runId: string;
  /** The trainer's own id; else the run's. */
  rolloutId: string;
  /** Place among the ends in the order of their delivery; null: not delivered yet. */
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
  /** Null: not evaluated, or a fault of ours. */
  reward: number | null;
  gain: number | null;
  /** Of ours; null: none. */
  fault: string | null;
  /** From its start to its end, or to now. */
  seconds: number;
  acknowledged: boolean;
}

export interface EndedRollouts {
  batchId: string;
  /** Sequence numbers above this one. */
  after: number;
  /** Each label with its value as text. */
  labels: readonly (readonly [name: string, value: string])[];
  group: string | null;
  limit: number;
}

/** Rollouts and what was captured of them. */
export interface Rollouts {
  /** By the trainer's id or the run's; null: there is none. */
  find(id: string): Promise<RolloutRow | null>;
  /** Ended and not acknowledged, by `endSequence`. Numbers the ends that no client has seen: only higher numbers follow a delivered one. */
  ended(of: EndedRollouts): Promise<RolloutRow[]>;
  /** The answered model calls of a run, in order; those of an acknowledged rollout are gone. */
  calls(runId: string): Promise<RolloutCall[]>;
  /** These, by any id, need not be kept any more. Returns the ids, as given, of those that have ended. */
  acknowledge(batchId: string, ids: readonly string[]): Promise<string[]>;
}
