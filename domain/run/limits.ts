/** Imports nothing, since workflows use it. */

/** The first reply and at most two requeries. */
export const MAX_REPLIES_PER_STEP = 3;

export const MAX_RUNS = 100_000;

/** A shard's history (nine events per run at most) replays quickly even on a busy machine. */
export const SHARD_SIZE = 100;

/** Kept from the start and end of a command's output; the rest is only counted. */
export const OUTPUT_HEAD_BYTES = 64 * 1024;
export const OUTPUT_TAIL_BYTES = 64 * 1024;

export const AGENT_UID = 10001;
export const REFEREE_UID = 10002;
export const PLAYER_UID = 10003;

/** Unless a task or a submission says otherwise. */
export const SNAPSHOT_EVERY = 10;

export const CONTAINER_WORKSPACE = '/home/agent/workspace';

/** The newest records of a task's memory that a run can read. */
export const MEMORY_RECORDS = 1000;

/** Times its limit, however busy the machine: images/evaluator/bench_tasks/fair_clock.py. */
export const EVALUATION_WALL_BOUND = 4;

/** For tasks without a workspace limit. */
const MOST_SNAPSHOT_MB = 20_480;

/** Limit on a snapshot's files. */
export const mostBytes = (run: { task: { limits: { workspaceMb?: number | undefined } } }): number =>
  (run.task.limits.workspaceMb ?? MOST_SNAPSHOT_MB) * 1024 * 1024;
