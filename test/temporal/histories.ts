/** A recorded history, in histories/ as `<name>.<type of workflow>.json`. */
interface RecordedHistory {
  /** Of workflows.test.ts, which plays what is recorded. */
  test: string;
  /** Absent: that of the test's own workflow of this type. */
  workflowId?: (serial: number) => string;
  /** Of several executions of this id the first one. */
  first?: true;
  /** What of the workflow is replayed. */
  covers: string;
}

/**
 * As few as go through each path of the workflows once. Recorded again, all of them, by
 * `BENCH_RECORD_HISTORIES=1 npx vitest run --project temporal test/temporal/workflows.test.ts`.
 */
export const HISTORIES: Record<string, RecordedHistory> = {
  'submit.run.json': {
    test: 'ends with the evaluation of what was submitted, its container stopped',
    covers: 'a run without GPUs from its place to its end',
  },
  'step-limit.run.json': {
    test: 'is evaluated at the step limit, after exactly that many model calls',
    covers: 'a forced end: the files are taken, then evaluated',
  },
  'wait.run.json': {
    test: 'asks the model again when it was told to wait',
    covers: 'a model that is to be asked later',
  },
  'asked.run.json': {
    test: 'waits for an answer from outside without a timer or an activity, however long, and takes it up when told',
    covers: 'turns that are answered from outside, and signals that are too early',
  },
  'snapshots.run.json': {
    test: 'has its workspace kept at each validate and every few steps, before the next command',
    covers: 'validations, and snapshots of both kinds',
  },
  'container-lost.run.json': {
    test: 'goes on in one more container when the new one is lost while the steps before are brought back into it',
    covers: 'containers lost during a command and during their start',
  },
  'continued.run.json': {
    test: 'continue as new when the history grows, and carry step, clock and container on',
    first: true,
    covers: 'a history that is full, until it continues as new',
  },
  'resumed.run.json': {
    test: 'continue as new when the history grows, and carry step, clock and container on',
    covers: 'steps that began in another history',
  },
  'long-command.run.json': {
    test: 'leave a command that outlasts the slice to an activity of its own, and count it once',
    covers: 'a command that outlasts its slice',
  },
  'long-turn.run.json': {
    test: 'leave a turn that outlasts the slice to an activity of its own, and request it once',
    covers: 'a turn that outlasts its slice',
  },
  'model-elsewhere.run.json': {
    test: 'of a run whose model another worker calls go by the queues of both',
    covers: 'turns by the queue of the provider',
  },
  'program.run.json': {
    test: 'is told of each validation it asks for, and judged by what it submitted',
    covers: 'a program that validates twice and submits',
  },
  'program-limit.run.json': {
    test: 'that a limit ended is judged by its files as they are',
    covers: 'a program that is ended: its files are taken, then evaluated',
  },
  'program-lost.run.json': {
    test: 'begins anew, with no step replayed and no answer of before, when its container is lost',
    covers: 'a program that is started again in a new container',
  },
  'waves.search.json': {
    test: 'plays wave after wave, settles each node when its run has ended, and is then tested once',
    covers: 'waves of nodes, the choice, the hidden test',
  },
  'cancelled.search.json': {
    test: 'that is cancelled ends its nodes first',
    covers: 'a tree that is cancelled while a node is played',
  },
  'hidden-test.run.json': {
    test: 'of a task with a hidden test is judged by it when its container has been stopped, one submission at a time',
    covers: 'the hidden test, several submissions, after the container is gone',
  },
  'hidden-test-fails.run.json': {
    test: 'whose hidden test cannot be evaluated ends as infra_error',
    covers: 'a hidden test that fails for good',
  },
  'config-error.run.json': {
    test: 'that ends without an evaluation has no hidden test',
    covers: 'an end as config_error, and no hidden test for it',
  },
  'first-container-lost.run.json': {
    test: 'that begins with the steps of another one goes on in one more container when its first is lost meanwhile',
    covers: "a fork, and its first container lost before the run's steps begin",
  },
  'containers-lost.run.json': {
    test: 'ends as infra_error, never as the agent’s failure, when containers keep getting lost',
    covers: 'an end as infra_error',
  },
  'cancelled.run.json': {
    test: 'cleans up and ends as cancelled when it is cancelled',
    covers: 'a cancelled run: the container is stopped all the same',
  },
  'host-lost.run.json': {
    test: 'goes on at another host, with another GPU, when its host is lost',
    covers: 'a lease asked for, recorded, abandoned and released; a host lost, a second one',
  },
  'whole.batch.json': {
    test: 'keeps at most `concurrency` runs in flight and ends all of them',
    covers: 'a batch of one shard',
  },
  'whole.batchShard.json': {
    test: 'keeps at most `concurrency` runs in flight and ends all of them',
    covers: 'more runs than slots, and slots given back',
  },
  'cancelled.batch.json': {
    test: 'cancelled, ends the runs in flight and those that never started',
    covers: 'a cancelled batch',
  },
  'cancelled.batchShard.json': {
    test: 'cancelled, ends the runs in flight and those that never started',
    covers: 'runs that are cancelled, and runs that never start',
  },
  'added-at-its-end.batch.json': {
    test: 'takes up runs that were added at the moment when it ended as cancelled',
    first: true,
    covers: 'a batch that goes on in a fresh history, since runs were added while it was cancelled',
  },
  'slots-move.batch.json': {
    test: 'keeps its whole window in use while a slow run of an earlier shard goes on',
    covers: 'slots that move from shard to shard',
  },
  'paused.batch.json': {
    test: 'paused, starts no run and lets those in flight end; resumed, goes on with a wider window',
    covers: 'a pause, a resumption, and more slots for a shard that runs',
  },
  'paused.batchShard.json': {
    test: 'paused, starts no run and lets those in flight end; resumed, goes on with a wider window',
    covers: 'a shard that is paused, resumed and given more slots',
  },
  'shard-added.batch.json': {
    test: 'takes up shards that were added while it ran',
    covers: 'runs that were added while others were in flight; a run that had to be started again at the end',
  },
  'started-again.batch.json': {
    test: 'started again after it was terminated, waits for the runs that went on without it and repeats none',
    covers: 'a shard that an earlier start of the batch left behind',
  },
  'started-again.batchShard.json': {
    test: 'started again after it was terminated, waits for the runs that went on without it and repeats none',
    covers: 'a run that an earlier start of the shard left behind',
  },
  'leases.gpuPool.json': {
    test: 'makes runs wait for a lease, never gives a GPU to two, and serves all',
    covers: 'requests of different sizes, grants and releases',
  },
  'idle.gpuPool.json': {
    test: 'that was idle looks which GPUs there are now before it grants one',
    covers: 'a pool that was idle, and other GPUs than before',
  },
  'taken-back.gpuPool.json': {
    test: 'takes back the GPU of a run that was terminated, but only when its container is gone',
    covers: 'a lease taken back at the second try',
  },
  'full.gpuPool.json': {
    test: 'goes on granting while its history is full and a lease is still being taken back',
    first: true,
    covers: 'a full history that waits for what was begun before it goes on in a fresh one',
  },
  'going-on.gpuPool.json': {
    test: 'goes on granting while its history is full and a lease is still being taken back',
    covers: 'a pool that began in another history',
  },
  'host-lost.gpuPool.json': {
    test: 'goes on at another host, with another GPU, when its host is lost',
    covers: 'a lease abandoned, and one on another host',
  },
};
