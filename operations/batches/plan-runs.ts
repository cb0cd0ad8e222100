import { newRunId } from '../../domain/ids.js';
import { keptOptions, samplingOf } from '../../domain/requests/run-options.js';
import type { Backend, RunDefinition } from '../../domain/run/run.js';
import { samplingFor } from '../../domain/model/sampling.js';
import { FIRST_ATTEMPTS } from '../../domain/statistics/settle-order.js';
import { stepsOfTree } from './check-tree.js';
import type { LoadedGroup } from './batch-plan.js';

export const firstAttempts = ({ attempts }: Pick<LoadedGroup, 'attempts'>): number =>
  attempts === 'auto' ? FIRST_ATTEMPTS : attempts;

export interface RunsOf {
  batchId: string;
  seed: number;
  backend: Backend;
  firstAttempt?: (model: string, task: string) => number;
}

/**
 * The matrix (model, task, attempt) as runs. Attempts are the outermost loop: a batch stopped
 * half-way has the same number of attempts of every pair.
 */
export function planRuns(group: LoadedGroup, batch: RunsOf): RunDefinition[] {
  const { loadedAgent } = group;
  const runs: RunDefinition[] = [];
  for (let nth = 0; nth < firstAttempts(group); nth += 1) {
    for (const task of group.taskFolders) {
      for (const model of group.modelRefs) {
        const attempt = nth + (batch.firstAttempt?.(model.name, task.spec.id) ?? 1);
        runs.push({
          runId: newRunId(),
          batchId: batch.batchId,
          model,
          sampling: model.config === undefined ? {} : samplingFor(model.config, samplingOf(group)),
          task: task.spec,
          taskHash: task.contentHash,
          agentName: loadedAgent.name,
          agentHash: loadedAgent.hash,
          agent: loadedAgent.config,
          attempt,
          seed: batch.seed + attempt,
          ...keptOptions(group, task.spec),
          ...(loadedAgent.config.search !== undefined && { maxSteps: stepsOfTree(loadedAgent.config.search) }),
          wallSeconds: group.wallTime ?? task.spec.limits.wallSeconds ?? 0,
          costLimitUsd: group.costLimit,
          backend: batch.backend,
          gpus: group.gpusPerRun ?? task.spec.gpus,
          ...(task.data?.sample === true ? { sample: true } : {}),
        });
      }
    }
  }
  return runs;
}
