import { freezeTask } from '../../catalog/index.js';
import { artifactLocation } from '../../domain/artifact-location.js';
import type { BatchRequest } from '../../domain/requests/batch.js';
import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import type { BatchPlan, LoadedGroup } from './batch-plan.js';
import { chooseBackend } from './choose-backend.js';
import { ensureTaskImages } from './ensure-task-images.js';
import { refuseUnfit } from './host-fit.js';
import { hostsOffering } from './hosts-offering.js';
import { planOn, type PlanOptions } from './plan-batch.js';
import { shareTasks } from './share-tasks.js';

/**
 * A plan on a backend whose images exist, built if they were missing. Runs that no host can execute are refused before building,
 * which takes minutes.
 */
export async function prepareBatch(
  bench: Bench,
  request: BatchRequest,
  groups: readonly LoadedGroup[],
  options: PlanOptions = {},
): Promise<BatchPlan> {
  const models = groups.flatMap((group) => group.modelRefs);
  const choose = (prepare: { signal: AbortSignal } | null): Promise<Backend> =>
    chooseBackend(bench, request.backend, models, { prepare });
  const likely = await choose(null);
  const hosts = await hostsOffering(bench, likely);
  await checkArtifacts(bench);
  const planned = planOn(bench, { request, groups, backend: likely, hosts, ...options });
  if (likely === 'local') return planned;
  return await bench.abortable('batch-images', async (signal) => {
    const backend = await choose({ signal });
    const final =
      backend === likely
        ? planned
        : planOn(bench, { request, groups, backend, hosts, ...options, batchId: planned.batchId });
    const tasks = final.groups.flatMap((group) => group.taskFolders);
    await ensureTaskImages(bench, tasks, backend, signal);
    return final;
  });
}

/** Wrong credentials, a wrong region, a full quota: better told now than by the first submission. */
async function checkArtifacts({ settings }: Bench): Promise<void> {
  const location = artifactLocation(settings.layout, settings.env);
  // Loaded where it is needed: the SDK is large.
  if (location.kind === 's3')
    await (await import('../../backends/artifacts/check-store.js')).checkArtifactStore(location);
}

/** Runs play frozen copies of their tasks, which other hosts can have, and some host must be able to execute them. */
export async function freezeAndCheck(bench: Bench, { groups, backend, runs }: BatchPlan): Promise<void> {
  const frozen = groups
    .flatMap((group) => group.taskFolders)
    .map((task) => ({ hash: task.contentHash, dir: freezeTask(bench.settings.layout, task) }));
  await shareTasks(bench, frozen);
  // Building images may have taken a while.
  refuseUnfit(await hostsOffering(bench, backend), groups, { backend, runs });
}
