import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { heartbeat } from '../../activities/interceptors/heartbeat.js';
import type { PlayStepsArgs, SliceEnd, SliceResult } from '../../domain/model/messages.js';
import { CONTROL_QUEUE, evaluationQueue, hostQueue } from '../../domain/run/queues.js';

/** A worker process with stand-in activities, which stopped-worker.test.ts stops and continues. */

const [address = '', codePath = '', host = '', stoppedIn = '0'] = process.argv.slice(2);
const SLICE_MS = 2_500;
/** As many tasks as the test has runs are taken at the moment when this process is stopped. */
const POLLS = 40;

const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Slices that are under way, of runs in the middle of which this process stops. */
let late = 0;
let begun = (): void => undefined;
const allBegun = new Promise<void>((resolve) => (begun = resolve));

async function playSteps({ runId, step, endsBy }: PlayStepsArgs): Promise<SliceResult> {
  if (step === 1 && Context.current().info.attempt === 1 && runId.includes('late')) {
    late += 1;
    if (late === Number(stoppedIn)) {
      say('stopped');
      begun();
      process.kill(process.pid, 'SIGSTOP');
    }
    await allBegun;
  }
  await Context.current().sleep(SLICE_MS);
  return { step: step + 1, elapsedMs: SLICE_MS, end: endOf(runId, step, endsBy) };
}

/** The first slice of a run asks for a turn, as its name says; then the run ends. */
function endOf(runId: string, step: number, endsBy: number | null): SliceEnd {
  if (step === 1 && runId.includes('signal')) return { kind: 'asked', try: 0, deadlineMs: null };
  if (step === 1 && endsBy !== null) return { kind: 'asked', try: 0, deadlineMs: Math.max(1, endsBy - Date.now()) };
  return endsBy === null ? { kind: 'evaluate', requested: 'submit' } : { kind: 'ending', reason: 'deadline' };
}

const nothing = async (): Promise<void> => undefined;
const connection = await NativeConnection.connect({ address });
const create = (taskQueue: string, activities: object, code: object = {}): Promise<Worker> =>
  Worker.create({ connection, taskQueue, activities, interceptors: { activity: [heartbeat] }, ...code });
const control = {
  placeRun: async ({ epoch }: { epoch: number }) => ({ hostId: host, epoch }),
  judgeHost: async () => 'keep',
  finishRun: nothing,
};
const workers = await Promise.all([
  create(CONTROL_QUEUE, control, {
    ...{ workflowBundle: { codePath }, identity: 'stopped-worker' },
    ...{ maxConcurrentWorkflowTaskPolls: POLLS, nonStickyToStickyPollRatio: 0.5 },
  }),
  create(hostQueue(host), { startContainer: nothing, stopContainer: nothing, takeSubmission: nothing, playSteps }),
  create(evaluationQueue(host), { evaluate: async () => ({ status: 'ok', primary: 1, ms: 1 }) }),
]);
say('ready');
createInterface({ input: process.stdin }).once('line', () => void Promise.all(workers.map((worker) => worker.run())));
