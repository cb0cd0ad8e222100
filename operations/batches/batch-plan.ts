import type { BatchRequest } from '../../domain/requests/batch.js';
import type { GroupRequest } from '../../domain/requests/run-options.js';
import type { ModelRef } from '../../domain/model/model.js';
import type { Backend, RunDefinition } from '../../domain/run/run.js';
import type { TaskFolder } from '../../domain/task/task.js';
import type { LoadedAgent } from '../../catalog/index.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { SkippedTask } from './available-tasks.js';

export interface LoadedGroup extends GroupRequest {
  modelRefs: ModelRef[];
  taskFolders: TaskFolder[];
  loadedAgent: LoadedAgent;
  skipped: SkippedTask[];
}

export interface BatchPlan {
  request: BatchRequest;
  batchId: string;
  backend: Backend;
  groups: LoadedGroup[];
  runs: RunDefinition[];
  /** Null: attempts are fixed. */
  allocation: Allocation | null;
  skipped: SkippedTask[];
}

export interface SubmittedBatch {
  batchId: string;
  name: string | null;
  backend: Backend;
  runs: RunDefinition[];
  concurrency: number;
  budgetUsd: string | null;
  allocation?: Allocation | null;
  /** Runs that end in a row for the same reason before the batch pauses itself; null: no limit. */
  breaker: number | null;
  skipped?: SkippedTask[];
  /** The batch existed: nothing was submitted, its unfinished runs continue. */
  existing?: boolean;
}

export const batchOf = ({ batchId, backend, runs, skipped, allocation, request }: BatchPlan): SubmittedBatch => ({
  batchId,
  name: request.name,
  backend,
  runs,
  concurrency: request.concurrency,
  budgetUsd: request.budget,
  allocation,
  breaker: request.breaker === false ? null : request.breaker,
  skipped,
});
