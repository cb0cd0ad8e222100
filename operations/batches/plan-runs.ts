import { newRunId } from '../../domain/ids.js';
import type { ModelRef, SamplingParameters } from '../../domain/model.js';
import type { Backend, RunDefinition } from '../../domain/run.js';
import { samplingFor } from '../../domain/sampling.js';
import type { TaskFolder } from '../../domain/task.js';
import type { LoadedAgent } from '../../catalog/index.js';

export interface BatchPlan {
  batchId: string;
  models: ModelRef[];
  tasks: TaskFolder[];
  agent: LoadedAgent;
  attempts: number;
  maxSteps: number;
  /** 0: no limit. */
  wallSeconds: number;
  /** Instead of each model's own; absent: those. */
  sampling?: SamplingParameters;
  /** Per run, US dollars; null or absent: no limit. */
  costLimitUsd?: string | null;
  /** Tokens per run, in and out; 0 or absent: no limit. */
  tokenLimit?: number;
  /** Null: what each task asks for. */
  gpusPerRun: number | null;
  seed: number;
  /** Of a model on a task; absent: 1. */
  firstAttempt?: (model: string, task: string) => number;
  backend: Backend;
  /** May the runs read and write their tasks' memories? */
  memory?: boolean;
  /** Steps between snapshots, 0: none; null or absent: what each task says. */
  snapshotEvery?: number | null;
}

/**
 * The matrix (model, task, attempt) as runs. Attempts are the outermost loop, so that a batch that is stopped half-way has
 * the same number of attempts of every pair.
 */
export function planRuns(plan: BatchPlan): RunDefinition[] {
  const runs: RunDefinition[] = [];
  for (let nth = 0; nth < plan.attempts; nth += 1) {
    for (const task of plan.tasks) {
      for (const model of plan.models) {
        const attempt = nth + (plan.firstAttempt?.(model.name, task.spec.id) ?? 1);
        runs.push({
          runId: newRunId(),
          batchId: plan.batchId,
          model,
          sampling: model.config === undefined ? {} : samplingFor(model.config, plan.sampling ?? {}),
          task: task.spec,
          taskHash: task.contentHash,
          agentName: plan.agent.name,
          agentHash: plan.agent.hash,
          agent: plan.agent.config,
          attempt,
          seed: plan.seed + attempt,
          maxSteps: plan.maxSteps,
          wallSeconds: plan.wallSeconds,
          costLimitUsd: plan.costLimitUsd ?? null,
          tokenLimit: plan.tokenLimit ?? 0,
          backend: plan.backend,
          gpus: plan.gpusPerRun ?? task.spec.gpus,
          snapshotEvery: plan.snapshotEvery ?? task.spec.snapshotEvery,
          ...(plan.memory === true ? { memory: true } : {}),
          ...(task.data?.sample === true ? { sample: true } : {}),
        });
      }
    }
  }
  return runs;
}
