import type { EpisodeOptions } from '../../domain/requests/run-options.js';
import type { Backend, RunDefinition } from '../../domain/run/run.js';

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
  /**
   * How often `validate` is scored where the task has one split: more of it would be a search on
   * the ranked score.
   */
  maxValidations: number;
  /** Episodes that may be open at once. */
  capacity: number;
  /** Seconds without a request after which an episode is given up. */
  idleSeconds: number;
  /** The reward of episodes whose reset names none. */
  reward: Record<string, unknown>;
}

/** What differs from the environment's own options. */
export interface Variation {
  agent?: string | undefined;
  maxSteps?: number | undefined;
}

/** The batch of a server's episodes, and its tasks. Nothing in it is lost with the server. */
export interface Environment {
  readonly batchId: string;
  readonly options: EnvironmentOptions;
  readonly harnessVersion: string;
  /** Runs whose rows are being written: episodes that begin at the same moment count each other. */
  readonly beginning: Set<string>;
  /** Ids of its tasks, in order. */
  readonly tasks: readonly string[];
  /** Names of its lists of tasks; the first one is the default. */
  readonly splits: readonly string[];
  /** Ids of the tasks in a list, by position. Throws BenchError (not_found) for an unknown list. */
  split(name: string): readonly string[];
  /**
   * A run of this task, still without an id and a seed of its own. Throws BenchError (not_found)
   * for a task that it does not serve.
   */
  template(task: string, variation?: Variation): Promise<RunDefinition>;
}
