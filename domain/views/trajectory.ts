import type { StepRecord } from '../run.js';
import type { EvaluationDetail } from './runs.js';

export interface TrajectoryStep extends StepRecord {
  /** Taken over from the run that this one is a fork of. */
  copied: boolean;
  costUsd: string;
  inputTokens: number;
  outputTokens: number;
  /** Host and path of the model's server; null: it has none. */
  endpoint: string | null;
  evaluations: EvaluationDetail[];
  /** When the model's reply was stored. */
  at: string;
}
