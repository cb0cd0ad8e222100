/** Numbers shared by several folders. Imports nothing, since workflows use it. */

/** Replies examined per step: the first and at most two requeries after a bad format. */
export const MAX_REPLIES_PER_STEP = 3;

/** More runs than this in one batch are surely a typo. */
export const MAX_RUNS = 100_000;

/** Runs per shard: its history, nine events a run at most, is replayed in a moment even on a busy machine. */
export const SHARD_SIZE = 100;

/** Bytes kept from the start and the end of a command's output; the rest is only counted. */
export const OUTPUT_HEAD_BYTES = 64 * 1024;
export const OUTPUT_TAIL_BYTES = 64 * 1024;

/** The agent's and the evaluator's user ids inside containers. */
export const AGENT_UID = 10001;
export const REFEREE_UID = 10002;
export const PLAYER_UID = 10003;

/** Steps between snapshots, unless a task or a submission says otherwise. */
export const SNAPSHOT_EVERY = 10;

/** Where the agent works, in a container. */
export const CONTAINER_WORKSPACE = '/home/agent/workspace';

/** Most records of a task's memory that a run can read: the newest. */
export const MEMORY_RECORDS = 1000;

/** An evaluation ends after this many times its limit, however busy the machine; see images/evaluator/bench_tasks/fair_clock.py. */
export const EVALUATION_WALL_BOUND = 4;

/** Of a snapshot's files, where the task has no limit on the workspace. */
const MOST_SNAPSHOT_MB = 20_480;

/** What the files of a run's snapshot may come to. */
export const mostBytes = (run: { task: { limits: { workspaceMb?: number | undefined } } }): number =>
  (run.task.limits.workspaceMb ?? MOST_SNAPSHOT_MB) * 1024 * 1024;
