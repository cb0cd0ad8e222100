import type { LoadedAgent } from '../../catalog/index.js';
import type { ModelRef, SamplingParameters } from '../../domain/model.js';
import type { Backend, RunDefinition } from '../../domain/run.js';
import type { TaskFolder } from '../../domain/task.js';
import type { SkippedTask } from './available-tasks.js';

/** Models × tasks × attempts, played alike. */
export interface GroupRequest {
  models: string[];
  tasks: string[];
  agent: string;
  attempts: number;
  maxSteps: number;
  wallSeconds: number;
  gpusPerRun: number | null;
  /** Instead of each model's own. */
  sampling?: SamplingParameters;
  /** Take models that have no price. */
  allowUnpriced?: boolean;
  /** Per run, US dollars; null or absent: no limit. */
  costLimitUsd?: string | null;
  /** Tokens per run, in and out; 0 or absent: no limit. */
  tokenLimit?: number;
  /** Give the runs their tasks' memories. */
  memory?: boolean;
  /** Steps between snapshots, 0: none; null or absent: what each task says. */
  snapshotEvery?: number | null;
  /** On stand-ins for the tasks' data. */
  sample?: boolean;
  /** Of the tasks that have it; null or absent: the tasks as they are, and on samples `cpu`. */
  profile?: string | null;
  /** Go on without tasks that cannot be played as things are. */
  skipUnavailable?: boolean;
}

export interface SubmitRequest extends GroupRequest {
  /** Groups besides this one. */
  further?: GroupRequest[];
  concurrency: number;
  /** 1 (first) to 5 (last); absent: 3. */
  priority?: number;
  /** Over all runs of the batch, US dollars; null or absent: no budget. */
  budgetUsd?: string | null;
  backend: Backend | undefined;
  seed: number;
  name: string | null;
  dryRun: boolean;
  /** Its runs rank in its own leaderboard alone. */
  verification?: boolean;
  /** Somebody sits at the terminal to play: without, the model `human` is refused. */
  person?: boolean;
}

export interface SubmittedBatch {
  batchId: string;
  name: string | null;
  backend: Backend;
  runs: RunDefinition[];
  concurrency: number;
  budgetUsd: string | null;
  /** Tasks that were left out. */
  skipped?: SkippedTask[];
  /** It was there already: nothing was submitted, its unfinished runs go on. */
  existing?: boolean;
}

/** A group with everything that it names. */
export interface LoadedGroup extends GroupRequest {
  modelRefs: ModelRef[];
  taskFolders: TaskFolder[];
  loadedAgent: LoadedAgent;
  skipped: SkippedTask[];
}
