import { freezeTask } from '../../catalog/index.js';
import { artifactLocation } from '../../domain/home/artifact-location.js';
import type { BatchRequest } from '../../domain/requests/batch.js';
import type { BenchSettings } from '../settings.js';
import type { BatchPlan, LoadedGroup } from './batch-plan.js';
import { type EnginePorts, withImages } from './choose-backend.js';
import { ensureProgramFolders, ensureTaskImages } from './ensure-task-images.js';
import { refuseUnfit } from './host-fit.js';
import { hostsOffering, type HostsPorts } from './hosts-offering.js';
import { modelsOf, planLoaded, planOn, type PlanOptions } from './plan-on.js';
import { shareTasks, type ShareTasksPorts } from './share-tasks.js';

export interface ImagesPorts extends EnginePorts {
  settings: EnginePorts['settings'] & Pick<BenchSettings, 'layout' | 'worker'>;
  abortable<T>(what: 'batch-images', work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export type PreparePorts = ImagesPorts & HostsPorts;

/** Refuses runs that no host can execute before it builds missing images, which takes minutes. */
export async function planAndBuildImages(
  ports: PreparePorts,
  request: BatchRequest,
  groups: readonly LoadedGroup[],
  options: PlanOptions = {},
): Promise<BatchPlan> {
  const loaded = { request, groups, ...options };
  const { plan, hosts } = await planLoaded(ports, loaded, (backend) => hostsOffering(ports, backend));
  await checkArtifacts(ports);
  if (plan.backend === 'local') return plan;
  return await ports.abortable('batch-images', async (signal) => {
    const choice = { chosen: plan.backend, requested: request.backend, models: modelsOf(loaded) };
    const backend = await withImages(ports, choice, signal);
    const final =
      backend === plan.backend ? plan : planOn(ports, { ...loaded, batchId: plan.batchId }, { backend, hosts });
    const played = final.groups.map(({ taskFolders: tasks, loadedAgent }) => ({
      tasks,
      program: loadedAgent.config.program,
    }));
    await ensureTaskImages(ports, played, backend, signal);
    await ensureProgramFolders(
      ports,
      played.flatMap(({ program }) => program ?? []),
    );
    return final;
  });
}

/** Finds wrong credentials or a full quota now, not at the first submission of a run. */
async function checkArtifacts({ settings }: { settings: Pick<BenchSettings, 'layout' | 'env'> }): Promise<void> {
  const location = artifactLocation(settings.layout, settings.env);
  // Loaded here: the SDK is large.
  if (location.kind === 's3')
    await (await import('../../backends/artifacts/check-store.js')).checkArtifactStore(location);
}

export type FreezePorts = ShareTasksPorts & HostsPorts;

/** Runs play frozen copies of their tasks, which other hosts can fetch. */
export async function freezeTasks(ports: FreezePorts, { groups, backend, runs }: BatchPlan): Promise<void> {
  const frozen = groups
    .flatMap((group) => group.taskFolders)
    .map((task) => ({ hash: task.contentHash, dir: freezeTask(ports.settings.layout, task) }));
  await shareTasks(ports, frozen);
  refuseUnfit(await hostsOffering(ports, backend), groups, { backend, runs });
}
