import { selectTaskIds } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import { newBatchId } from '../../domain/ids.js';
import type { Episodes } from '../../domain/ports/episodes.js';
import { type BatchRequest, batchRequest } from '../../domain/requests/batch.js';
import { episodeOptions } from '../../domain/requests/run-options.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { loadGroups } from '../batches/load-groups.js';
import { freezeTasks, planAndBuildImages } from '../batches/prepare-batch.js';
import { harnessVersion } from '../harness-version.js';
import type { BenchSettings } from '../settings.js';
import type { PortsOf } from '../ports-of.js';
import type { Environment, EnvironmentOptions, Variation } from './environment.js';
import { type BaselinePorts, requireBaselines } from './require-baselines.js';

type PreparePorts = PortsOf<typeof planAndBuildImages | typeof loadGroups | typeof freezeTasks>;

type BatchPorts = { episodes: Pick<Episodes, 'openBatch'> };

export type OpenEnvironmentPorts = PreparePorts &
  BaselinePorts &
  BatchPorts & {
    settings: Pick<BenchSettings, 'configFolders' | 'assetsRoot'>;
    renewWorker(): Promise<unknown>;
  };

/**
 * Checks every task, builds missing images, freezes the tasks and opens the batch.
 * @throws BenchError (usage) for tasks, agents and backends that cannot be played and tasks without
 * a baseline; (conflict) if another kind of batch has the name.
 */
export async function openEnvironment(ports: OpenEnvironmentPorts, options: EnvironmentOptions): Promise<Environment> {
  const { settings } = ports;
  // A mistyped name starts no services.
  selectTaskIds(settings.configFolders, options.tasks);
  await ports.renewWorker();
  const runs = await prepareRuns(ports, environmentRequest(options, options.tasks, {}));
  await requireBaselines(ports, runs, options.reward);
  const batchId = await openBatch(ports, options, runs);
  const tasks = runs.map(({ task }) => task.id);
  const lists = listsOf(settings.configFolders, options, tasks);
  // Variations wait for the backend of all others while its engine is away; no other is chosen.
  const played = { ...options, backend: runs[0]?.backend ?? options.backend };
  return {
    batchId,
    options,
    harnessVersion: harnessVersion(settings.assetsRoot),
    beginning: new Set(),
    tasks,
    splits: [...lists.keys()],
    split(split) {
      const listed = lists.get(split);
      if (listed !== undefined) return listed;
      throw new BenchError('not_found', `no split ${JSON.stringify(split)} is served`, {
        code: 'split.not_found',
        remedy: `There are: ${[...lists.keys()].join(', ')}.`,
      });
    },
    template: templatesOf(runs, (task, variation) => prepareRuns(ports, environmentRequest(played, [task], variation))),
  };
}

const environmentRequest = (
  options: EnvironmentOptions,
  tasks: readonly string[],
  { agent, maxSteps }: Variation,
): BatchRequest =>
  batchRequest({
    models: ['external'],
    tasks: [...tasks],
    attempts: 1,
    agent: agent ?? options.agent,
    maxSteps: maxSteps ?? options.maxSteps,
    ...episodeOptions(options),
    backend: options.backend,
    seed: 0,
  });

async function prepareRuns(ports: PreparePorts, request: BatchRequest): Promise<RunDefinition[]> {
  const groups = loadGroups(ports, request.groups, { needKeys: true });
  const prepared = await planAndBuildImages(ports, request, groups);
  await freezeTasks(ports, prepared);
  return prepared.runs;
}

async function openBatch(
  { episodes }: BatchPorts,
  options: EnvironmentOptions,
  runs: readonly RunDefinition[],
): Promise<string> {
  const { name, capacity } = options;
  const tasks = runs.map(({ task }) => task.id);
  const batch = await episodes.openBatch({
    batchId: newBatchId(),
    name,
    spec: { environment: { ...options, tasks, splits: Object.fromEntries(options.splits) } },
    seed: 0,
    concurrency: capacity,
  });
  if (batch.training) return batch.batchId;
  throw new BenchError('conflict', `batch ${name} is not a batch of episodes`, {
    code: 'batch.name_taken',
    remedy: 'Choose another name.',
    fields: { name: true },
  });
}

function listsOf(
  configFolders: readonly string[],
  { splits }: EnvironmentOptions,
  tasks: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (splits.size === 0) return new Map([['train', tasks]]);
  return new Map(
    [...splits].map(([split, names]) => {
      const listed = selectTaskIds(configFolders, names);
      return [split, listed.filter((id) => tasks.includes(id))];
    }),
  );
}

/** Cached: episodes play a task as it was when it, or its variation, was first requested. */
function templatesOf(
  runs: readonly RunDefinition[],
  prepare: (task: string, variation: Variation) => Promise<RunDefinition[]>,
): Environment['template'] {
  const templates = new Map(runs.map((run) => [keyOf(run.task.id, {}), Promise.resolve(run)]));
  const tasks = runs.map(({ task }) => task.id);
  return (task, variation = {}) => {
    if (!tasks.includes(task))
      return Promise.reject(
        new BenchError('not_found', `no task ${JSON.stringify(task)} is served`, {
          remedy: `There are: ${tasks.join(', ')}.`,
        }),
      );
    const key = keyOf(task, variation);
    const known = templates.get(key);
    if (known !== undefined) return known;
    const made = prepare(task, variation).then(([run]) => {
      if (run === undefined) throw new Error(`no run of ${task}`);
      return run;
    });
    // A failure is not cached: the next reset tries again.
    made.catch(() => templates.delete(key));
    templates.set(key, made);
    return made;
  };
}

const keyOf = (task: string, { agent, maxSteps }: Variation): string => JSON.stringify([task, agent, maxSteps]);
