import type { EpisodeOptions } from '../../domain/requests/run-options.js';
import type { Backend, RunDefinition } from '../../domain/run/run.js';

export interface EnvironmentOptions extends EpisodeOptions {
  /** The batch of its episodes; an existing one of this name is continued. */
  name: string;
  /** Ids or suites. */
  tasks: readonly string[];
  /** Lists of the task API: ids or suites among `tasks`. None: `train`, with all of them. */
  splits: ReadonlyMap<string, readonly string[]>;
  /** Null: docker or podman, whichever answers. */
  backend: Backend | null;
  agent: string;
  maxSteps: number;
  /** Scored `validate` commands with one split: more would be a search on the ranked score. */
  maxValidations: number;
  capacity: number;
  /** Seconds without a request after which an episode is abandoned. */
  idleSeconds: number;
  reward: Record<string, unknown>;
}

export interface Variation {
  agent?: string | undefined;
  maxSteps?: number | undefined;
}

/** The batch of a server's episodes, and its tasks. A server's death loses nothing of it. */
export interface Environment {
  readonly batchId: string;
  readonly options: EnvironmentOptions;
  readonly harnessVersion: string;
  /** Runs whose rows are being written: episodes that begin at the same moment count each other. */
  readonly beginning: Set<string>;
  readonly tasks: readonly string[];
  /** Names of its lists of tasks; the first one is the default. */
  readonly splits: readonly string[];
  /** Ids of the tasks in a list, by position. Throws BenchError (not_found) for an unknown list. */
  split(name: string): readonly string[];
  /**
   * A run of this task, without id and seed. Throws BenchError (not_found) for an unserved task.
   */
  template(task: string, variation?: Variation): Promise<RunDefinition>;
}
