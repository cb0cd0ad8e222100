import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { forkOf } from '../../domain/run/fork.js';
import { newRunId } from '../../domain/ids.js';
import { compareUsd, subtractUsd } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';

export const repeated = (run: RunDefinition): SubmittedRun => ({ ...run, runId: newRunId(), replaces: run.runId });

/**
 * Continues a stopped run after its last complete step, else from the beginning. Its spend counts
 * against the run's limits; its lost answers are counted separately (RunStore.spending), since they
 * are not the agent's fault.
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
  // A tree restarts: its steps are those of its selected node.
  const tree = run.agent.search !== undefined && run.forkedFrom === undefined;
  if (stopped.lastStep === 0 || tree) return { ...repeated(run), ...limits };
  return { ...forkOf(run, { batchId: run.batchId, atStep: stopped.lastStep, ...limits }), replaces: run.runId };
}

/** Zero would mean no limit; the smallest amount ends the run at its next call. */
const left = (limit: string, spent: string): string =>
  compareUsd(limit, spent) > 0 ? subtractUsd(limit, spent) : '0.0000000001';
