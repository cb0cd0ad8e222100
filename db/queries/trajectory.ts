import type { StepRecord } from '../../domain/run.js';
import type { EvaluationDetail } from './runs.js';

export interface TrajectoryStep extends StepRecord {
  costUsd: string;
  inputTokens: number;
  outputTokens: number;
  evaluations: EvaluationDetail[];
  at: string;
}
