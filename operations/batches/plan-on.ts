import { newBatchId } from '../../domain/ids.js';
import type { BatchRequest } from '../../domain/requests/batch.js';
import type { Backend } from '../../domain/run/run.js';
import type { Notice } from '../notices.js';
import { allocationOf } from './allocation-of.js';
import { tasksOnBackend } from './available-tasks.js';
import type { BatchPlan, LoadedGroup } from './batch-plan.js';
import { refuseProgramsOnLocal } from './check-agent.js';
import { chooseBackend, type EnginePorts } from './choose-backend.js';
import type { Hosts } from './check-hosts.js';
import { leaveOutForGpus, refuseGpus, refuseUnfit } from './host-fit.js';
import { planRuns } from './plan-runs.js';

export interface PlanOptions {
  /** First attempt of a model on a task; absent: 1. */
  firstAttempt?: (model: string, task: string) => number;
  batchId?: string;
}

export interface LoadedRequest extends PlanOptions {
  request: BatchRequest;
  groups: readonly LoadedGroup[];
}

export const modelsOf = ({ groups }: Pick<LoadedRequest, 'groups'>): LoadedGroup['modelRefs'] =>
  groups.flatMap((group) => group.modelRefs);

/**
 * The first step of every batch, and all of a dry run: the backend, and the groups and runs that
 * its hosts can execute. `hostsOf` returns null where no database answers.
 */
export async function planLoaded(
  ports: EnginePorts,
  loaded: LoadedRequest,
  hostsOf: (backend: Backend) => Promise<Hosts | null>,
): Promise<{ plan: BatchPlan; hosts: Hosts | null }> {
  const backend = await chooseBackend(ports, loaded.request.backend, modelsOf(loaded));
  const hosts = await hostsOf(backend);
  return { plan: planOn(ports, loaded, { backend, hosts }), hosts };
}

/** `hosts` null: unknown. */
export function planOn(
  ports: { notify: (notice: Notice) => void },
  { request, groups: loaded, firstAttempt, batchId = newBatchId() }: LoadedRequest,
  { backend, hosts }: { backend: Backend; hosts: Hosts | null },
): BatchPlan {
  refuseProgramsOnLocal(
    loaded.map(({ loadedAgent }) => loadedAgent),
    backend,
  );
  const groups = loaded.map((group) => {
    const { taskFolders, skipped } = tasksOnBackend(ports, group.taskFolders, { backend, skip: group.skipUnavailable });
    return { ...group, taskFolders, skipped: [...group.skipped, ...skipped] };
  });
  if (hosts !== null) leaveOutForGpus(ports, groups, backend, hosts);
  const runs = groups.flatMap((group) =>
    planRuns(group, { batchId, seed: request.seed, backend, ...(firstAttempt !== undefined && { firstAttempt }) }),
  );
  refuseGpus(groups, runs, backend);
  if (hosts !== null) refuseUnfit(hosts, groups, { backend, runs });
  const allocation = allocationOf(groups);
  return { request, batchId, backend, groups, runs, allocation, skipped: groups.flatMap((group) => group.skipped) };
}
