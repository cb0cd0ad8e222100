import type { SubmittedRun } from '../../db/index.js';
import { forkOf } from '../../domain/fork.js';
import { newRunId } from '../../domain/ids.js';
import { compareUsd, subtractUsd } from '../../domain/price.js';
import type { RunDefinition } from '../../domain/run.js';

/** The same run once more, from its beginning. */
export const repeated = (run: RunDefinition): SubmittedRun => ({ ...run, runId: newRunId(), replaces: run.runId });

/**
 * A run that goes on where another one was stopped: after its last whole step, or at the beginning if it has none. What that one spent
 * counts against the limits of the run. Its lost answers do as well, but apart (RunStore.spending): they are not the agent's doing.
 */
export function continued(
  run: RunDefinition,
  stopped: { lastStep: number; confirmedUsd: string; tokens: number },
): SubmittedRun {
  const { costLimitUsd = null, tokenLimit = 0 } = run;
  const limits = {
    costLimitUsd: costLimitUsd === null ? null : left(costLimitUsd, stopped.confirmedUsd),
    tokenLimit: tokenLimit === 0 ? 0 : Math.max(1, tokenLimit - stopped.tokens),
  };
  if (stopped.lastStep === 0) return { ...repeated(run), ...limits };
  return { ...forkOf(run, { batchId: run.batchId, atStep: stopped.lastStep, ...limits }), replaces: run.runId };
}

/** A limit of zero would be none: the least amount of money ends the run at its next call. */
const left = (limit: string, spent: string): string =>
  compareUsd(limit, spent) > 0 ? subtractUsd(limit, spent) : '0.0000000001';
