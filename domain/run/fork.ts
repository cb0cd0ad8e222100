import { newRunId } from '../ids.js';
import type { ModelRef, SamplingParameters } from '../model/model.js';
import type { RunDefinition } from './run.js';

export interface ForkChanges {
  batchId: string;
  atStep: number;
  /** Index among several forks, from 0. Each has its own seed; the first keeps the run's. */
  nth?: number;
  /** Replaces the run's own. */
  model?: { ref: ModelRef; sampling: SamplingParameters };
  maxSteps?: number;
  costLimitUsd?: string | null;
  tokenLimit?: number;
}

/** A run that continues `origin` after one of its steps, by default with its definition. */
export function forkOf(origin: RunDefinition, changes: ForkChanges): RunDefinition {
  const nth = changes.nth ?? 0;
  return {
    ...origin,
    runId: newRunId(),
    batchId: changes.batchId,
    ...(changes.model !== undefined && { model: changes.model.ref, sampling: changes.model.sampling }),
    attempt: origin.attempt + nth,
    seed: origin.seed + nth,
    maxSteps: changes.maxSteps ?? origin.maxSteps,
    ...(changes.costLimitUsd !== undefined && { costLimitUsd: changes.costLimitUsd }),
    ...(changes.tokenLimit !== undefined && { tokenLimit: changes.tokenLimit }),
    forkedFrom: { runId: origin.runId, step: changes.atStep },
  };
}
