import { newRunId } from './ids.js';
import type { ModelRef, SamplingParameters } from './model.js';
import type { RunDefinition } from './run.js';

export interface ForkChanges {
  batchId: string;
  atStep: number;
  /** Which one of several forks, from 0: each has a seed of its own. The first goes on with that of the run. */
  nth?: number;
  /** In place of the run's own. */
  model?: { ref: ModelRef; sampling: SamplingParameters };
  maxSteps?: number;
  costLimitUsd?: string | null;
  tokenLimit?: number;
}

/** A new run that goes on where `origin` was after one of its steps, by default with all that it was submitted with. */
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
