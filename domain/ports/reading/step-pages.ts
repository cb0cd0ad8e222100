import type { StepText } from '../../run/step-badges.js';
import type { ClippedStep, StepColumns, StepSkeleton } from '../../views/steps.js';

export interface TextPart {
  /** UTF-8. */
  bytes: Buffer;
  /** Size of the whole text. */
  total: number;
}

export interface StepPages {
  skeleton(runId: string, page: { after: number; limit: number }): Promise<StepSkeleton>;
  stepColumns(runId: string, steps: readonly number[]): Promise<StepColumns>;
  steps(runId: string, window: { from: number; to: number; preview: number }): Promise<ClippedStep[]>;
  /** `to`: the last byte; null: to the end. */
  stepText(of: { runId: string; step: number; text: StepText; from: number; to: number | null }): Promise<TextPart>;
}
