import type { BatchRequestInput, BatchRequest } from '../../domain/requests/batch.js';
import { batchRequest } from '../../domain/requests/batch.js';
import { newBatchId } from '../../domain/ids.js';
import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import { allocationOf } from './allocation-of.js';
import { tasksOnBackend } from './available-tasks.js';
import { refuseProgramsOnLocal } from './check-agent.js';
import type { BatchPlan, LoadedGroup } from './batch-plan.js';
import { chooseBackend } from './choose-backend.js';
import { leaveOutForGpus, refuseGpus, refuseUnfit } from './host-fit.js';
import { type Hosts, hostsIfKnown } from './hosts-if-known.js';
import { loadGroups } from './load-groups.js';
import { planRuns } from './plan-runs.js';

export interface PlanOptions {
  /** Attempts of a model on a task begin here; absent: at 1. */
  firstAttempt?: (model: string, task: string) => number;
  batchId?: string;
}

/**
 * What a batch of this request would be: its runs, its backend, what is left out. Looks only: nothing is stored, built or started.
 * Throws BenchError for everything that can be wrong with the request.
 */
export async function planBatch(bench: Bench, input: BatchRequestInput, options: PlanOptions = {}): Promise<BatchPlan> {
  const request = batchRequest(input);
  const groups = loadGroups(bench, request.groups, { needKeys: false, person: false });
  const models = groups.flatMap((group) => group.modelRefs);
  const backend = await chooseBackend(bench, request.backend, models, { prepare: null });
  return planOn(bench, { request, groups, backend, hosts: await hostsIfKnown(bench), ...options });
}

/** The groups and runs on a backend, as far as its hosts can execute them. `hosts` null: nobody knows them. */
export function planOn(
  bench: Bench,
  plan: PlanOptions & { request: BatchRequest; groups: readonly LoadedGroup[]; backend: Backend; hosts: Hosts | null },
): BatchPlan {
  const { request, backend, hosts, firstAttempt, batchId = newBatchId() } = plan;
  refuseProgramsOnLocal(
    plan.groups.map(({ loadedAgent }) => loadedAgent),
    backend,
  );
  const groups = plan.groups.map((group) => {
    const { taskFolders, skipped } = tasksOnBackend(bench, group.taskFolders, { backend, skip: group.skipUnavailable });
    return { ...group, taskFolders, skipped: [...group.skipped, ...skipped] };
  });
  if (hosts !== null) leaveOutForGpus(bench, groups, backend, hosts);
  const runs = groups.flatMap((group) =>
    planRuns(group, { batchId, seed: request.seed, backend, ...(firstAttempt !== undefined && { firstAttempt }) }),
  );
  refuseGpus(groups, runs, backend);
  if (hosts !== null) refuseUnfit(hosts, groups, { backend, runs });
  const allocation = allocationOf(request, groups);
  return { request, batchId, backend, groups, runs, allocation, skipped: groups.flatMap((group) => group.skipped) };
}
