import { BenchError } from '../../domain/errors.js';
import { needsGpu } from '../../domain/task/evaluator-spec.js';
import { mostForOneRun } from '../../domain/run/mig.js';
import type { Backend, RunDefinition } from '../../domain/run/run.js';
import type { Notice } from '../notices.js';
import { tasksWithGpus } from './available-tasks.js';
import type { LoadedGroup } from './batch-plan.js';
import { checkHosts, type Hosts, refuseGpusOnPodman } from './check-hosts.js';

/**
 * Groups that skip unavailable tasks drop those that need more GPUs than any host of the backend
 * has. The other groups are checked with the whole batch.
 */
export function leaveOutForGpus(
  ports: { notify: (notice: Notice) => void },
  groups: LoadedGroup[],
  backend: Backend,
  hosts: Hosts,
): void {
  const wanting = groups.filter(
    ({ skipUnavailable, gpusPerRun, taskFolders }) =>
      skipUnavailable && gpusPerRun === null && taskFolders.some(({ spec }) => spec.gpus > 0),
  );
  if (wanting.length === 0) return;
  const offering = hosts.filter(({ backends }) => backends.includes(backend));
  const most = Math.max(0, ...offering.map(({ gpus }) => mostForOneRun(gpus)));
  for (const group of wanting) {
    const { taskFolders, skipped } = tasksWithGpus(ports, group.taskFolders, { backend, most, skip: true });
    group.taskFolders = taskFolders;
    group.skipped = [...group.skipped, ...skipped];
  }
}

/** Profiles, for the remedy, under which no task of these groups asks for more GPUs. */
function profilesWithFewerGpus(groups: readonly LoadedGroup[], gpus: number): string[] {
  const greedy = groups.flatMap(({ taskFolders }) => taskFolders).filter(({ spec }) => spec.gpus > gpus);
  const names = new Set(greedy.flatMap(({ spec }) => Object.keys(spec.profiles ?? {})));
  return [...names].filter((name) => greedy.every(({ spec }) => (spec.profiles?.[name]?.gpus ?? spec.gpus) <= gpus));
}

const mostGpus = (runs: readonly RunDefinition[]): number => runs.reduce((most, run) => Math.max(most, run.gpus), 0);

export function refuseUnfit(
  hosts: Hosts,
  groups: readonly LoadedGroup[],
  { backend, runs }: { backend: Backend; runs: readonly RunDefinition[] },
): void {
  const memoryMb = runs.reduce((most, run) => Math.max(most, run.task.limits.memoryMb), 0);
  checkHosts(hosts, {
    ...{ backend, gpus: mostGpus(runs), memoryMb },
    profiles: (gpus) => profilesWithFewerGpus(groups, gpus),
  });
}

/** What needs no hosts: podman assigns no GPUs; an evaluator uses those of its run. */
export function refuseGpus(groups: readonly LoadedGroup[], runs: readonly RunDefinition[], backend: Backend): void {
  const blind = runs.find(({ task, gpus }) => gpus === 0 && needsGpu(task.evaluator));
  if (blind !== undefined)
    throw new BenchError('usage', `task ${blind.task.id} is scored on a GPU of its run, and its runs would have none`, {
      code: 'gpus.insufficient',
      remedy: 'Give its runs a GPU (`gpus` of the task or profile), or remove evaluator.gpu.',
      fields: { gpusPerRun: '1' },
    });
  refuseGpusOnPodman(mostGpus(runs), backend, profilesWithFewerGpus(groups, 0));
}
