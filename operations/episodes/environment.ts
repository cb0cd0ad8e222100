import { selectTaskIds } from '../../catalog/index.js';
import type { TaskFolder } from '../../domain/task.js';
import { BenchError } from '../../domain/errors.js';
import { newBatchId } from '../../domain/ids.js';
import { batchRequest } from '../../domain/requests/batch.js';
import { type EpisodeOptions, episodeOptions } from '../../domain/requests/run-options.js';
import type { Backend, RunDefinition } from '../../domain/run.js';
import { loadGroups } from '../batches/load-groups.js';
import { freezeAndCheck, prepareBatch } from '../batches/prepare-batch.js';
import { harnessVersion } from '../batches/store-batch.js';
import type { Bench } from '../bench.js';
import { requireBaselines } from './require-baselines.js';

export interface EnvironmentOptions extends EpisodeOptions {
  /** The batch that its episodes are runs of; one of this name is continued. */
  name: string;
  /** Ids or suites. */
  tasks: readonly string[];
  /** Lists of the task API: ids or suites among `tasks`. None: `train`, with all of them. */
  splits: ReadonlyMap<string, readonly string[]>;
  /** Null: docker or podman, whichever answers. */
  backend: Backend | null;
  agent: string;
  maxSteps: number;
  /** How often `validate` is scored where the task has one split: more of it would be a search on what ranks. */
  maxValidations: number;
  /** Episodes that may be open at once. */
  capacity: number;
  /** Seconds without a request after which an episode is given up. */
  idleSeconds: number;
  /** How episodes are rewarded that do not say it. */
  reward: Record<string, unknown>;
}

/** What differs from the environment's own options. */
export interface Variation {
  agent?: string | undefined;
  maxSteps?: number | undefined;
}

/** What a server plays on: the batch of its episodes, and its tasks. Nothing in it is lost with the server. */
export interface Environment {
  readonly bench: Bench;
  readonly batchId: string;
  readonly options: EnvironmentOptions;
  readonly harnessVersion: string;
  /** Runs whose rows are being written: episodes that begin at the same moment count each other. */
  readonly beginning: Set<string>;
  /** Ids of its tasks, in order. */
  readonly tasks: readonly string[];
  /** Names of its lists of tasks; the first one is meant where none is named. */
  readonly splits: readonly string[];
  /** Ids of the tasks in a list: positions count in it. Throws BenchError (not_found) for one that is not there. */
  split(name: string): readonly string[];
  /** A run of this task, still without an id and a seed of its own. Throws BenchError (not_found) for a task that it does not serve. */
  template(task: string, variation?: Variation): Promise<RunDefinition>;
}

/**
 * Opens an environment: checks every task, builds images that are missing, freezes the tasks and opens the batch.
 * @throws BenchError (usage) for tasks, agents and backends that cannot be played, and tasks without a baseline; (conflict) if the name is that of another kind of batch.
 */
export async function openEnvironment(bench: Bench, options: EnvironmentOptions): Promise<Environment> {
  const { settings } = bench;
  let { backend } = options;
  const requestFor = (tasks: readonly string[], { agent, maxSteps }: Variation) =>
    batchRequest({
      models: ['external'],
      tasks: [...tasks],
      attempts: 1,
      agent: agent ?? options.agent,
      maxSteps: maxSteps ?? options.maxSteps,
      ...episodeOptions(options),
      backend,
      seed: 0,
    });
  const plan = async (tasks: readonly string[], variation: Variation): Promise<RunDefinition[]> => {
    const request = requestFor(tasks, variation);
    const prepared = await prepareBatch(
      bench,
      request,
      loadGroups(bench, request.groups, { needKeys: true, person: false }),
    );
    await freezeAndCheck(bench, prepared);
    return prepared.runs;
  };
  // A mistyped name starts no services.
  selectTaskIds(settings.configFolders, options.tasks);
  await bench.renewWorker();
  const runs = await plan(options.tasks, {});
  // Variations are played where all else is: while its engine is away they wait, and no other is chosen.
  backend = runs[0]?.backend ?? backend;
  await requireBaselines(bench, runs, options.reward);
  const { episodes } = await bench.database();
  const { name, capacity } = options;
  const batch = await episodes.openBatch({
    batchId: newBatchId(),
    name,
    spec: {
      environment: {
        ...options,
        tasks: runs.map(({ task }) => task.id),
        splits: Object.fromEntries(options.splits),
      },
    },
    seed: 0,
    concurrency: capacity,
  });
  if (!batch.training)
    throw new BenchError('conflict', `batch ${name} is not a batch of episodes`, {
      code: 'batch.name_taken',
      remedy: 'Choose another name.',
      fields: { name: true },
    });

  /** Prepared once: what a task was when the environment was opened is what its episodes play. */
  const templates = new Map(runs.map((run) => [keyOf(run.task.id, {}), Promise.resolve(run)]));
  const tasks = runs.map(({ task }) => task.id);
  const lists = new Map<string, readonly string[]>(
    options.splits.size === 0
      ? [['train', tasks]]
      : [...options.splits].map(([split, names]) => {
          const listed = selectTaskIds(settings.configFolders, names);
          return [split, listed.filter((id) => tasks.includes(id))] as const;
        }),
  );
  return {
    bench,
    batchId: batch.batchId,
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
    template(task, variation = {}) {
      if (!tasks.includes(task))
        return Promise.reject(
          new BenchError('not_found', `no task ${JSON.stringify(task)} is served`, {
            remedy: `There are: ${tasks.join(', ')}.`,
          }),
        );
      const key = keyOf(task, variation);
      const known = templates.get(key);
      if (known !== undefined) return known;
      const made = plan([task], variation).then(([run]) => {
        if (run === undefined) throw new Error(`no run of ${task}`);
        return run;
      });
      // A failure is not kept: the next reset tries again.
      made.catch(() => templates.delete(key));
      templates.set(key, made);
      return made;
    },
  };
}

const keyOf = (task: TaskFolder['spec']['id'], { agent, maxSteps }: Variation): string =>
  JSON.stringify([task, agent, maxSteps]);
