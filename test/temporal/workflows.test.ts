import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Client, Connection, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { heartbeat } from '../../activities/interceptors/heartbeat.js';
import {
  CONTROL_QUEUE,
  GPU_POOL_WORKFLOW_ID,
  evaluationQueue,
  hostQueue,
  modelQueue,
} from '../../domain/run/queues.js';
import { FAILURE, type CarriedRun, type BatchInput, type BatchResult } from '../../domain/model/messages.js';
import type { RunEnd, RunTicket } from '../../domain/run/run.js';
import { FakeActivities, configFailure, sandboxLost } from '../fakes/fake-activities.js';
import { runTicket } from '../fakes/records.js';
import { emptyPool } from '../../workflows/gpu-pool-state.js';
import { recordHistories } from './record-histories.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { LONG } from '../setup/long.js';

const HOST = 'test-host';
const WAIT_MS = 300_000;

let server: TemporalFixture;
let client: Client;
let connection: NativeConnection;
let workers: Worker[];
let running: Promise<unknown>;
let fake = new FakeActivities();
let serial = 0;
/** By the number of their test: what a failed test leaves running never calls the next fake. */
const fakes = new Map<number, FakeActivities>();

/** Activities are looked up per call: a fresh FakeActivities per test, shared workers. */
const late = (
  names: string[],
  of: (fake: FakeActivities) => object,
): Record<string, (args: unknown) => Promise<unknown>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (args: unknown) => (of(fakeOf(args)) as Record<string, (a: unknown) => Promise<unknown>>)[name]!(args),
    ]),
  );

/** Runs and batches are named after their test; the pool's own activities name neither. */
function fakeOf(args: unknown): FakeActivities {
  const { runId, nodeRunId, runIds, batchId } = (args ?? {}) as {
    runId?: string;
    nodeRunId?: string;
    runIds?: string[];
    batchId?: string;
  };
  const number = /^[rb]-(\d+)/.exec(runId ?? nodeRunId ?? runIds?.[0] ?? batchId ?? '')?.[1];
  return fakes.get(Number(number)) ?? fake;
}

beforeAll(async () => {
  server = await startTemporal();
  connection = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  const create = (taskQueue: string, activities: object, code: object = {}): Promise<Worker> =>
    // As the product's workers do: an activity that a test holds must not miss its heartbeats.
    Worker.create({ connection, taskQueue, activities, interceptors: { activity: [heartbeat] }, ...code });
  workers = await Promise.all([
    create(
      CONTROL_QUEUE,
      {
        ...late(Object.keys(fake.control()), (one) => one.control()),
      },
      { workflowsPath },
    ),
    create(
      hostQueue(HOST),
      late(Object.keys(fake.host()), (one) => one.host()),
    ),
    create(
      evaluationQueue(HOST),
      late(['evaluate', 'evaluateHidden'], (one) => one.host()),
    ),
    create(
      modelQueue('scripted'),
      late(['nextAction'], (one) => one.model()),
    ),
  ]);
  running = Promise.all(workers.map((worker) => worker.run()));
});

afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await running;
  await connection.close();
  await client.connection.close();
  await server.stop();
});

beforeEach(() => {
  fake = new FakeActivities();
  fake.hosts = [{ hostId: HOST, devices: [] }];
  serial += 1;
  fakes.set(serial, fake);
});

const RECORDING = process.env['BENCH_RECORD_HISTORIES'] !== undefined;

// The histories of one test, for replay.test.ts; recorded only when asked.
afterEach(async ({ task }) => {
  if (RECORDING) await recordHistories(client, server.address, task.name, serial);
});

const ticket = (name: string, over: Partial<RunTicket> = {}): RunTicket =>
  runTicket({ runId: `r-${serial}-${name}`, batchId: `b-${serial}`, ...over });

const play = (one: RunTicket): Promise<RunEnd> =>
  client.workflow.execute<(ticket: RunTicket) => Promise<RunEnd>>('run', {
    workflowId: `run/${one.runId}`,
    taskQueue: CONTROL_QUEUE,
    args: [one],
  });
/** Activities that went by a queue, in order. */
const queued = (events: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']): string[] =>
  (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? []);
const submitAt = (step: number) => async (args: { step: number }) => ({
  requested: args.step === step ? ('submit' as const) : null,
  exitCode: 0,
  timedOut: false,
  ms: 1,
});

/** Commands of a run that is cancelled on the way. */
const unhurried: FakeActivities['onCommand'] = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { requested: null, exitCode: 0, timedOut: false, ms: 1 };
};

describe('a run', () => {
  it('ends with the evaluation of what was submitted, its container stopped', async () => {
    fake.onCommand = submitAt(3);
    const one = ticket('a');
    expect(await play(one)).toEqual({ endReason: 'submit', finalEvaluation: 'ok', detail: null });
    expect(fake.commands.map((c) => c.step)).toEqual([1, 2, 3]);
    expect(fake.evaluations).toEqual([{ runId: one.runId, step: 3, epoch: 1, kind: 'submit' }]);
    expect(fake.stopped).toEqual([one.runId]);
  });

  it('is evaluated at the step limit, after exactly that many model calls', async () => {
    const asked: number[] = [];
    fake.onNextAction = async (_, step) => {
      asked.push(step);
      return { kind: 'action', endReason: null, ms: 1 };
    };
    expect((await play(ticket('a', { maxSteps: 4 }))).endReason).toBe('max_steps');
    expect(asked).toEqual([1, 2, 3, 4]);
    expect(fake.taken).toMatchObject([{ kind: 'forced', step: 4, epoch: 1 }]);
    expect(fake.evaluations.map((e) => [e.kind, e.step])).toEqual([['forced', 4]]);
  });

  it('of a task with a hidden test is judged by it when its container has been stopped, one submission at a time', async () => {
    fake.onCommand = submitAt(2);
    fake.onHidden = async (time) => (time < 3 ? { more: true, final: null } : { more: false, final: 'rejected' });
    const one = ticket('a', { hiddenSplit: true });
    const end = { endReason: 'submit', finalEvaluation: 'rejected', detail: null };
    expect(await play(one)).toEqual(end);
    expect(fake.ends.get(one.runId)).toEqual(end);
    expect(fake.evaluations).toMatchObject([{ kind: 'submit' }]);
    expect(fake.hidden).toEqual(Array(3).fill({ runId: one.runId, sandboxStopped: true, ended: false }));
  });

  it('whose hidden test cannot be evaluated ends as infra_error', async () => {
    fake.onCommand = submitAt(1);
    fake.onHidden = async () => {
      throw ApplicationFailure.create({ nonRetryable: true, message: 'no engine' });
    };
    expect(await play(ticket('a', { hiddenSplit: true }))).toEqual({
      endReason: 'infra_error',
      cause: 'evaluator',
      finalEvaluation: 'not_run',
      detail: 'no engine',
    });
  });

  it('that ends without an evaluation has no hidden test', async () => {
    fake.onStart = async () => Promise.reject(configFailure('no such image'));
    expect((await play(ticket('a', { hiddenSplit: true }))).endReason).toBe('config_error');
    expect(fake.hidden).toEqual([]);
  });

  it('is evaluated when no reply of a step could be used', async () => {
    fake.onNextAction = async (_, step) =>
      step === 2 ? { kind: 'end', endReason: 'format', ms: 1 } : { kind: 'action', endReason: null, ms: 1 };
    expect((await play(ticket('a'))).endReason).toBe('format');
    expect(fake.commands.map((c) => c.step)).toEqual([1]);
    expect(fake.evaluations.map((e) => e.kind)).toEqual(['forced']);
  });

  it('asks the model again when it was told to wait', async () => {
    const asked: number[] = [];
    fake.onNextAction = async (_, step) => {
      asked.push(step);
      return asked.length === 1
        ? { kind: 'wait', endReason: null, ms: 0, waitMs: 1 }
        : { kind: 'action', endReason: null, ms: 1 };
    };
    fake.onCommand = submitAt(1);
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(asked).toEqual([1, 1]);
  });

  it('waits for an answer from outside without a timer or an activity, however long, and takes it up when told', async () => {
    const asked: number[] = [];
    const turns = new Map<number, string>();
    fake.onNextAction = async (_, step) => {
      asked.push(step);
      return turns.has(step)
        ? { kind: 'action', endReason: null, ms: 0 }
        : { kind: 'asked', endReason: null, ms: 0, try: 1 };
    };
    fake.onCommand = submitAt(2);
    const one = ticket('a');
    const end = play(one);
    const handle = client.workflow.getHandle(`run/${one.runId}`);
    const answered = (step: number, requery: number) => handle.signal('turnAnswered', { step, try: requery });
    await until(() => asked.length === 1);
    const size = async () => (await handle.fetchHistory()).events?.length ?? 0;
    // The activity that asked is over, and its result seen.
    await untilAsync(async () => (await handle.describe()).raw.pendingActivities?.length === 0);
    await untilAsync(async () => (await handle.describe()).raw.pendingWorkflowTask == null);
    const before = await size();
    await answered(1, 0);
    await answered(2, 1);
    await untilAsync(async () => (await handle.describe()).raw.pendingWorkflowTask == null);
    expect(asked).toEqual([1]);
    // Two signals, and the tasks in which they were seen: nothing else.
    expect((await size()) - before).toBeLessThanOrEqual(8);
    turns.set(1, 'ls');
    await answered(1, 1);
    await until(() => asked.includes(2));
    turns.set(2, 'submit');
    await answered(2, 1);
    expect((await end).endReason).toBe('submit');
    expect(asked.filter((step) => step === 1)).toEqual([1, 1]);
    const { events } = await handle.fetchHistory();
    expect((events ?? []).filter((event) => event.timerStartedEventAttributes)).toEqual([]);
  });

  it('finds an answer of which it was told while it was still asking', async () => {
    const asked: number[] = [];
    const one = ticket('a');
    fake.onNextAction = async (_, step) => {
      asked.push(step);
      if (asked.length > 1) return { kind: 'action', endReason: null, ms: 0 };
      await client.workflow.getHandle(`run/${one.runId}`).signal('turnAnswered', { step, try: 0 });
      return { kind: 'asked', endReason: null, ms: 0, try: 0 };
    };
    fake.onCommand = submitAt(1);
    expect((await play(one)).endReason).toBe('submit');
    expect(asked).toEqual([1, 1]);
  });

  it('that waits for an answer from outside can be cancelled', async () => {
    const asked: number[] = [];
    fake.onNextAction = async (_, step) => {
      asked.push(step);
      return { kind: 'asked', endReason: null, ms: 0, try: 0 };
    };
    const one = ticket('a');
    const end = play(one);
    await until(() => asked.length === 1);
    await client.workflow.getHandle(`run/${one.runId}`).cancel();
    expect((await end).endReason).toBe('cancelled');
    expect(fake.stopped).toEqual([one.runId]);
  });

  it('ends by wall time when models and commands have used it up, and never gives a command more than is left', async () => {
    fake.onCommand = async () => ({ requested: null, exitCode: 0, timedOut: false, ms: 4_000 });
    expect((await play(ticket('a', { wallSeconds: 10, commandSeconds: 600 }))).endReason).toBe('wall_time');
    expect(fake.commands.map((c) => c.timeLimitSeconds)).toEqual([10, 6, 2]);
  });

  it('leaves a command only what the model’s own time has left of the run’s', async () => {
    fake.onNextAction = async (_, step) => ({ kind: 'action', endReason: null, ms: step === 1 ? 7_000 : 60_000 });
    fake.onCommand = async () => ({ requested: null, exitCode: 0, timedOut: false, ms: 1_000 });
    expect((await play(ticket('a', { wallSeconds: 10, commandSeconds: 600 }))).endReason).toBe('wall_time');
    expect(fake.commands.map((c) => c.timeLimitSeconds)).toEqual([3, 1]);
  });

  it('goes on in a new container, told why, with the earlier steps replayed when the container is lost', async () => {
    let lost = false;
    fake.onCommand = async (args) => {
      if (args.step === 3 && !lost) {
        lost = true;
        throw sandboxLost();
      }
      return submitAt(5)(args);
    };
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts.map((s) => [s.epoch, s.replayThrough, s.because])).toEqual([
      [1, 0, undefined],
      [2, 50, 'the container is gone'],
    ]);
    expect(fake.commands.map((c) => [c.step, c.epoch])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [3, 2],
      [4, 2],
      [5, 2],
    ]);
  });

  it('goes on in one more container when the new one is lost while the steps before are brought back into it', async () => {
    const lost = new Set<number>();
    fake.onStart = async ({ epoch }) => {
      if (epoch > 1 && lost.size < 2) {
        lost.add(epoch);
        throw sandboxLost();
      }
    };
    fake.onCommand = async (args) =>
      args.step === 3 && args.epoch === 1 ? Promise.reject(sandboxLost()) : submitAt(4)(args);
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts.map(({ epoch, replayThrough }) => [epoch, replayThrough])).toEqual([
      [1, 0],
      [2, 50],
      [3, 50],
      [4, 50],
    ]);
    expect(fake.commands.map(({ step, epoch }) => [step, epoch])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [3, 4],
      [4, 4],
    ]);
  });

  it('that begins with the steps of another one goes on in one more container when its first is lost meanwhile', async () => {
    fake.onStart = async ({ epoch }) => (epoch === 1 ? Promise.reject(sandboxLost()) : undefined);
    fake.onCommand = submitAt(4);
    expect((await play(ticket('a', { copiedSteps: 2 }))).endReason).toBe('submit');
    expect(fake.starts.map(({ epoch }) => epoch)).toEqual([1, 2]);
    expect(fake.commands.map(({ step, epoch }) => [step, epoch])).toEqual([
      [3, 2],
      [4, 2],
    ]);
  });

  it('has its workspace kept at each validate and every few steps, before the next command', async () => {
    const order: string[] = [];
    fake.onCommand = async ({ step }) => {
      order.push(`command ${step}`);
      const requested = step === 2 ? 'validate' : step === 7 ? 'submit' : null;
      return { requested, exitCode: 0, timedOut: false, ms: 1 };
    };
    const base = fake.host.bind(fake);
    fake.host = () => ({
      ...base(),
      snapshot: async ({ step, reason }) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        order.push(`${reason} ${step}`);
        // What a snapshot comes to is no matter of the run.
        if (step === 3) throw ApplicationFailure.create({ message: 'the disk is full', nonRetryable: true });
      },
    });
    expect((await play(ticket('a', { snapshotEvery: 3 }))).endReason).toBe('submit');
    expect(order).toEqual([
      ...['command 1', 'command 2', 'validate 2', 'command 3', 'interval 3', 'command 4', 'command 5', 'command 6'],
      ...['interval 6', 'command 7'],
    ]);
  });

  it('whose placement has started its container starts no other', async () => {
    fake.onCommand = submitAt(1);
    const control = fake.control.bind(fake);
    fake.control = () => ({ ...control(), placeRun: async ({ epoch }) => ({ hostId: HOST, epoch, started: true }) });
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts).toEqual([]);
  });

  it('whose container died while its placement started it gets the next one, and is told why', async () => {
    fake.onCommand = submitAt(1);
    const control = fake.control.bind(fake);
    fake.control = () => ({
      ...control(),
      placeRun: async ({ epoch }) => ({ hostId: HOST, epoch, started: false, lost: 'it died' }),
    });
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts).toMatchObject([{ epoch: 2, replayThrough: 50, because: 'it died' }]);
    expect(fake.commands.map(({ epoch }) => epoch)).toEqual([2]);
  });

  it('that is a fork begins after the steps that it took over', async () => {
    fake.onCommand = submitAt(6);
    expect((await play(ticket('a', { copiedSteps: 4 }))).endReason).toBe('submit');
    expect(fake.starts.map((s) => [s.epoch, s.replayThrough])).toEqual([[1, 4]]);
    expect(fake.commands.map((c) => c.step)).toEqual([5, 6]);
  });

  it('ends as infra_error, never as the agent’s failure, when containers keep getting lost', async () => {
    fake.onCommand = async () => Promise.reject(sandboxLost());
    expect(await play(ticket('a'))).toMatchObject({ endReason: 'infra_error', finalEvaluation: 'not_run' });
    expect(fake.evaluations).toEqual([]);
  });

  it('moves from hosts that leave as often as it must, at the step where it was, and none of them counts as a loss', async () => {
    fake.callsModels = false;
    let moves = 12;
    fake.onCommand = async (args) => {
      if (args.step === 2 && moves-- > 0)
        throw ApplicationFailure.create({ type: FAILURE.hostLeft, nonRetryable: true, message: 'the host leaves' });
      return submitAt(3)(args);
    };
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    expect(fake.starts.map(({ handedOnBy }) => handedOnBy !== undefined)).toEqual([
      false,
      ...Array<boolean>(12).fill(true),
    ]);
    expect(fake.commands.map(({ step }) => step)).toEqual([1, ...Array<number>(13).fill(2), 3]);
  });

  it('ends as config_error with the reason when nothing but the operator can help', async () => {
    fake.onStart = async () => Promise.reject(configFailure('task x is not on this host'));
    expect(await play(ticket('a'))).toMatchObject({ endReason: 'config_error', detail: 'task x is not on this host' });
  });

  it('ends as cancelled when it is cancelled, whatever its command fails with on its way out', async () => {
    fake.onCommand = () =>
      Context.current().cancelled.catch(() => {
        throw ApplicationFailure.nonRetryable('the engine does not answer');
      });
    const one = ticket('a');
    const handle = await client.workflow.start('run', {
      workflowId: `run/${one.runId}`,
      taskQueue: CONTROL_QUEUE,
      args: [one],
    });
    await until(() => fake.commands.length > 0);
    await handle.cancel();
    await handle.result();
    expect(fake.ends.get(one.runId)?.endReason).toBe('cancelled');
  });

  it('cleans up and ends as cancelled when it is cancelled', async () => {
    const one = ticket('a', { maxSteps: 10_000 });
    fake.onCommand = unhurried;
    const handle = await client.workflow.start('run', {
      workflowId: `run/${one.runId}`,
      taskQueue: CONTROL_QUEUE,
      args: [one],
    });
    await until(() => fake.commands.length > 2);
    await handle.cancel();
    await handle.result();
    expect(fake.ends.get(one.runId)?.endReason).toBe('cancelled');
    expect(fake.stopped).toEqual([one.runId]);
  });
});

describe('a program that plays by itself', () => {
  const program = { program: true as const, maxSteps: 50 };

  it('is told of each validation it asks for, and judged by what it submitted', async () => {
    fake.onProgram = async ({ answer }) => {
      if (answer === undefined) return { kind: 'validate', step: 3, number: 1 };
      if (answer.number === 1) return { kind: 'validate', step: 7, number: 2 };
      return { kind: 'submit', step: 9, ms: 1 };
    };
    const one = ticket('a', program);
    expect(await play(one)).toEqual({ endReason: 'submit', finalEvaluation: 'ok', detail: null });
    expect(fake.programs.map(({ answer }) => answer)).toEqual([
      undefined,
      { number: 1, step: 3 },
      { number: 2, step: 7 },
    ]);
    expect(fake.evaluations.map(({ kind, step }) => [kind, step])).toEqual([
      ['validate', 3],
      ['validate', 7],
      ['submit', 9],
    ]);
    expect(fake.taken).toEqual([]);
    expect(fake.stopped).toEqual([one.runId]);
  });

  it('that a limit ended is judged by its files as they are', async () => {
    fake.onProgram = async () => ({ kind: 'ended', step: 4, ms: 1, endReason: 'cost' });
    expect(await play(ticket('a', program))).toMatchObject({ endReason: 'cost', finalEvaluation: 'ok' });
    expect(fake.taken).toMatchObject([{ kind: 'forced', step: 4, epoch: 1 }]);
    expect(fake.evaluations.map(({ kind, step }) => [kind, step])).toEqual([['forced', 4]]);
  });

  it('begins anew, with no step replayed and no answer of before, when its container is lost', async () => {
    fake.onProgram = async ({ epoch, answer }) => {
      if (epoch === 1 && answer === undefined) return { kind: 'validate', step: 2, number: 1 };
      if (epoch === 1) throw sandboxLost();
      return { kind: 'submit', step: 6, ms: 1 };
    };
    expect((await play(ticket('a', program))).endReason).toBe('submit');
    expect(fake.starts.map(({ epoch, replayThrough, because }) => [epoch, replayThrough, because])).toEqual([
      [1, 0, undefined],
      [2, 0, 'the container is gone'],
    ]);
    expect(fake.programs.at(-1)).toMatchObject({ epoch: 2 });
    expect(fake.programs.at(-1)!.answer).toBeUndefined();
    expect(fake.evaluations.at(-1)).toMatchObject({ kind: 'submit', step: 6, epoch: 2 });
  });

  it('ends as cancelled when its run is cancelled, its container stopped', async () => {
    fake.onProgram = () => Context.current().cancelled;
    const one = ticket('a', program);
    const args: [RunTicket] = [one];
    const handle = await client.workflow.start('run', {
      ...{ workflowId: `run/${one.runId}`, taskQueue: CONTROL_QUEUE, args },
    });
    await until(() => fake.programs.length === 1);
    await handle.cancel();
    await handle.result();
    expect(fake.ends.get(one.runId)?.endReason).toBe('cancelled');
    expect(fake.stopped).toEqual([one.runId]);
    expect(fake.evaluations).toEqual([]);
  });
});

describe('the steps of a run', () => {
  const playWith = (one: RunTicket, turnsPerHistory: number) =>
    client.workflow.start<(ticket: RunTicket, carried: CarriedRun | null, turns: number) => Promise<RunEnd>>('run', {
      ...{ workflowId: `run/${one.runId}`, taskQueue: CONTROL_QUEUE, args: [one, null, turnsPerHistory] },
    });

  it('continue as new when the history grows, and carry step, clock and container on', async () => {
    fake.sliceMs = 0;
    fake.onCommand = submitAt(6);
    fake.callsModels = false;
    const one = ticket('a', { wallSeconds: 60 });
    const handle = await playWith(one, 4);
    expect(await handle.result()).toMatchObject({ endReason: 'submit' });
    expect(fake.commands.map(({ step, epoch }) => [step, epoch])).toEqual([1, 2, 3, 4, 5, 6].map((step) => [step, 1]));
    expect(fake.starts).toHaveLength(1);
    expect(fake.stopped).toEqual([one.runId]);
    expect(fake.slices.at(-1)?.elapsedMs).toBeGreaterThan(0);
    const fences = fake.slices.map(({ fence }) => fence);
    expect(new Set(fences).size).toBe(fences.length);
    const first = await client.workflow.getHandle(`run/${one.runId}`, handle.firstExecutionRunId).describe();
    expect(first.status.name).toBe('CONTINUED_AS_NEW');
  });

  it('keep their GPUs when their history is continued', async () => {
    fake.hosts = [{ hostId: HOST, devices: ['0'] }];
    fake.requestLease = async ({ runId }) =>
      client.workflow.getHandle(`run/${runId}`).signal('leaseGranted', { token: 7, hostId: HOST, devices: ['0'] });
    fake.sliceMs = 0;
    fake.callsModels = false;
    fake.onCommand = submitAt(4);
    const one = ticket('a', { gpus: 1 });
    expect(await (await playWith(one, 3)).result()).toMatchObject({ endReason: 'submit' });
    expect(fake.recorded).toHaveLength(1);
    expect(fake.released.map(({ token }) => token)).toEqual([7]);
  });

  it('continue as new between turns that are answered from outside, and lose no answer to that', async () => {
    const answered = new Set<number>();
    const one = ticket('a');
    fake.onNextAction = async (_, step) => {
      if (answered.has(step)) return { kind: 'action', endReason: null, ms: 0 };
      answered.add(step);
      // An answer that comes at once: the signal arrives while the run continues as new.
      await client.workflow.getHandle(`run/${one.runId}`).signal('turnAnswered', { step, try: 0 });
      return { kind: 'asked', endReason: null, ms: 0, try: 0 };
    };
    fake.onCommand = submitAt(3);
    const handle = await playWith(one, 1);
    expect(await handle.result()).toMatchObject({ endReason: 'submit' });
    expect(fake.commands.map((c) => c.step)).toEqual([1, 2, 3]);
    const first = await client.workflow.getHandle(`run/${one.runId}`, handle.firstExecutionRunId).describe();
    expect(first.status.name).toBe('CONTINUED_AS_NEW');
  });

  it('are one activity while nothing needs the workflow: fewer than 50 events for 50 steps', async () => {
    const one = ticket('a', { maxSteps: 50 });
    await play(one);
    const { events } = await client.workflow.getHandle(`run/${one.runId}`).fetchHistory();
    expect(fake.commands).toHaveLength(50);
    expect(queued(events)).toEqual([
      ...['placeRun', 'startContainer', 'playSteps', 'takeSubmission', 'evaluate', 'stopContainer'],
    ]);
    expect(events?.length).toBeLessThan(50);
  });

  it('have one command each when slices are as short as they can be', async () => {
    fake.sliceMs = 1;
    fake.onCommand = async (args) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return submitAt(5)(args);
    };
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.commands.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  });

  it('leave a command that outlasts the slice to an activity of its own, and count it once', async () => {
    const one = ticket('a');
    fake.sliceMs = 200;
    fake.onSliceCommand = (args, signal) =>
      args.step === 2
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : fake.host().executeCommand(args);
    fake.onCommand = submitAt(3);
    expect((await play(one)).endReason).toBe('submit');
    expect(fake.commands.map(({ step }) => step)).toEqual([1, 2, 3]);
    const { events } = await client.workflow.getHandle(`run/${one.runId}`).fetchHistory();
    expect(queued(events)).toContain('executeCommand');
  });

  it('leave a turn that outlasts the slice to an activity of its own, and request it once', async () => {
    const one = ticket('a');
    fake.sliceMs = 200;
    const requested: number[] = [];
    let answer = (): void => undefined;
    fake.onNextAction = async (_, step) => {
      requested.push(step);
      if (step === 2) await new Promise<void>((resolve) => (answer = resolve));
      return { kind: 'action', endReason: null, ms: 1 };
    };
    fake.onCommand = submitAt(3);
    const end = play(one);
    const handle = client.workflow.getHandle(`run/${one.runId}`);
    await until(() => requested.length === 2);
    await untilAsync(async () => queued((await handle.fetchHistory()).events).includes('nextAction'));
    answer();
    expect((await end).endReason).toBe('submit');
    expect(requested).toEqual([1, 2, 3]);
  });

  it('try what fails in a slice by an activity of its own, after the pause that the failure names', async () => {
    const one = ticket('a');
    let turns = 0;
    fake.onSliceCommand = (args) => {
      return args.step === 2 ? Promise.reject(new Error('the database is away')) : fake.host().executeCommand(args);
    };
    fake.onNextAction = async (_, step) => {
      if (step === 3 && turns++ === 0)
        throw ApplicationFailure.create({ message: 'busy', nonRetryable: false, nextRetryDelay: 1 });
      return { kind: 'action', endReason: null, ms: 1 };
    };
    fake.onCommand = submitAt(4);
    const end = play(one);
    expect((await end).endReason).toBe('submit');
    expect(fake.commands.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    const { events } = await client.workflow.getHandle(`run/${one.runId}`).fetchHistory();
    expect(queued(events).filter((name) => ['executeCommand', 'nextAction'].includes(name))).toEqual([
      'executeCommand',
      'nextAction',
    ]);
  });

  it('of a run whose model another worker calls go by the queues of both', async () => {
    fake.callsModels = false;
    fake.onCommand = submitAt(3);
    const one = ticket('a');
    expect((await play(one)).endReason).toBe('submit');
    const { events } = await client.workflow.getHandle(`run/${one.runId}`).fetchHistory();
    expect(queued(events).filter((name) => name === 'nextAction')).toHaveLength(3);
  });

  it('show in the heartbeat how far they are', async () => {
    const one = ticket('a');
    let release = (): void => undefined;
    fake.onCommand = async (args) => {
      if (args.step === 3) await new Promise<void>((resolve) => (release = resolve));
      return submitAt(3)(args);
    };
    const end = play(one);
    const handle = client.workflow.getHandle(`run/${one.runId}`);
    await until(() => fake.commands.length === 3);
    await untilAsync(async () => {
      const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
      const data = pending?.heartbeatDetails?.payloads?.[0]?.data;
      return data != null && Buffer.from(data).toString() === '{"step":3}';
    });
    release();
    await end;
  });
});

describe('a tree of forks', () => {
  const node = (name: string): RunTicket => ticket(name, { node: true, maxSteps: 3 });
  const playTree = (one: RunTicket): Promise<RunEnd> =>
    client.workflow.execute<(input: RunTicket) => Promise<RunEnd>>('search', {
      workflowId: `run/${one.runId}`,
      taskQueue: CONTROL_QUEUE,
      args: [one],
    });
  const validateAt = (step: number) => async (args: { step: number }) => ({
    requested: args.step === step ? ('validate' as const) : null,
    exitCode: 0,
    timedOut: false,
    ms: 1,
  });

  it('plays wave after wave, settles each node when its run has ended, and is then tested once', async () => {
    fake.onCommand = validateAt(2);
    const one = ticket('a', { search: true, hiddenSplit: true });
    const [b, c, d] = [node('b'), node('c'), node('d')];
    fake.waves = [
      { tickets: [b, c], ended: [] },
      { tickets: [d], ended: ['r-ended-before'] },
    ];
    expect(await playTree(one)).toEqual({ endReason: 'submit', finalEvaluation: 'ok', detail: null });
    expect(fake.settled.slice(0, 2).toSorted()).toEqual([b.runId, c.runId]);
    expect(fake.settled.slice(2).toSorted()).toEqual([d.runId, 'r-ended-before'].toSorted());
    // Nodes end with their first evaluation, which keeps the workspace; only the tree is tested.
    expect(fake.evaluations.map(({ kind, step }) => [kind, step])).toEqual(Array(3).fill(['validate', 2]));
    expect(fake.hidden.map(({ runId }) => runId)).toEqual([one.runId]);
    expect(fake.ends.get(b.runId)).toMatchObject({ endReason: 'submit' });
    expect(fake.closedTrees).toEqual([one.runId]);
  });

  it('opens a node as soon as another has ended, if it says so', async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const [b, c, d] = [node('b'), node('c'), node('d')];
    fake.onCommand = async (args) => {
      if (args.runId === b.runId) await slow;
      // Only once d plays may b end.
      if (args.runId === d.runId) release();
      return validateAt(1)(args);
    };
    fake.waves = [
      { tickets: [b, c], ended: [] },
      { tickets: [b, d], ended: [] },
      { tickets: [b], ended: ['r-ended-before'] },
      { tickets: [b], ended: [] },
    ];
    const one = ticket('a', { search: true, asynchronous: true, hiddenSplit: true });
    expect(await playTree(one)).toEqual({ endReason: 'submit', finalEvaluation: 'ok', detail: null });
    expect(fake.settled.toSorted()).toEqual([b.runId, c.runId, d.runId, 'r-ended-before'].toSorted());
    expect(fake.evaluations).toHaveLength(3);
  });

  it('keeps the workspace of a node that is evaluated at its last step, for those that go on from it', async () => {
    const one = ticket('a', { search: true });
    fake.waves = [{ tickets: [node('b')], ended: [] }];
    await playTree(one);
    expect(fake.evaluations.map(({ kind, step }) => [kind, step])).toEqual([['forced', 3]]);
    expect(fake.snapshots.map(({ step }) => step)).toEqual([3]);
  });

  it('continues in a fresh history after some nodes, and repeats no node', async () => {
    const one = ticket('a', { search: true });
    fake.onCommand = validateAt(2);
    const names = ['b', 'c', 'd'];
    fake.waves = names.map((name) => ({ tickets: [node(name)], ended: [] }));
    const handle = await client.workflow.start<(input: RunTicket, entries: number) => Promise<RunEnd>>('search', {
      ...{ workflowId: `run/${one.runId}`, taskQueue: CONTROL_QUEUE, args: [one, 2] },
    });
    expect(await handle.result()).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok' });
    expect(fake.settled).toEqual(names.map((name) => node(name).runId));
    const first = await client.workflow.getHandle(`run/${one.runId}`, handle.firstExecutionRunId).describe();
    expect(first.status.name).toBe('CONTINUED_AS_NEW');
  });

  it('that is cancelled ends its nodes first', async () => {
    const one = ticket('a', { search: true });
    const two = node('b');
    let began = false;
    fake.onCommand = async () => {
      began = true;
      await Context.current().cancelled;
      throw new Error('unreachable');
    };
    fake.waves = [{ tickets: [two], ended: [] }];
    const end = playTree(one);
    await until(() => began);
    await client.workflow.getHandle(`run/${one.runId}`).cancel();
    expect((await end).endReason).toBe('cancelled');
    expect(fake.ends.get(two.runId)?.endReason).toBe('cancelled');
    expect(fake.closedTrees).toEqual([one.runId]);
  });

  it('none of whose nodes came to anything is not tested', async () => {
    const one = ticket('a', { search: true });
    expect(await playTree(one)).toMatchObject({ endReason: 'max_steps', finalEvaluation: 'no_artefact' });
    expect(fake.hidden).toEqual([]);
  });
});

describe('a batch', () => {
  const submit = (concurrency: number) => {
    fake.batch.concurrency = concurrency;
    return client.workflow.start<(input: BatchInput) => Promise<BatchResult>>('batch', {
      workflowId: `batch/b-${serial}`,
      taskQueue: CONTROL_QUEUE,
      args: [{ batchId: `b-${serial}` }],
    });
  };
  /** Commands wait here until they are let go. */
  const held = () => {
    const waiting = new Map<string, () => void>();
    fake.onCommand = ({ runId }) =>
      new Promise((done) =>
        waiting.set(runId, () => {
          waiting.delete(runId);
          done({ requested: 'submit', exitCode: 0, timedOut: false, ms: 1 });
        }),
      );
    return waiting;
  };

  it('keeps at most `concurrency` runs in flight and ends all of them', async () => {
    fake.tickets = Array.from({ length: 7 }, (_, i) => ticket(String(i), { maxSteps: 2 }));
    let inFlight = 0;
    let most = 0;
    fake.onStart = async () => void (most = Math.max(most, ++inFlight));
    const host = fake.host.bind(fake);
    fake.host = () => ({
      ...host(),
      stopContainer: async (args) => {
        inFlight -= 1;
        await host().stopContainer(args);
      },
    });
    expect(await (await submit(3)).result()).toEqual({ runs: 7 });
    expect(fake.ends.size).toBe(7);
    expect(most).toBeLessThanOrEqual(3);
    expect(fake.batches).toEqual([{ batchId: `b-${serial}`, cancelled: false }]);
  });

  it('that gives attempts out on the way asks for more once all have ended, until there are none', async () => {
    fake.tickets = [ticket('first', { maxSteps: 1 })];
    fake.batch.allocates = true;
    fake.shardOf = ({ runId }) => fake.tickets.findIndex((one) => one.runId === runId);
    const asked: number[] = [];
    fake.onNextAttempts = () => {
      asked.push(fake.ends.size);
      if (asked.length > 2) return 0;
      fake.tickets.push(ticket(`more-${asked.length}`, { maxSteps: 1 }));
      return 1;
    };
    expect(await (await submit(2)).result()).toEqual({ runs: 3 });
    expect(asked).toEqual([1, 2, 3]);
    expect(fake.ends.size).toBe(3);
    expect(fake.batches).toEqual([{ batchId: `b-${serial}`, cancelled: false }]);
  });

  it('does not let one failing run end the others', async () => {
    fake.tickets = [ticket('bad'), ticket('good', { maxSteps: 1 })];
    fake.onStart = async ({ runId }) => (runId.endsWith('bad') ? Promise.reject(configFailure('no')) : undefined);
    await (await submit(2)).result();
    expect([...fake.ends].map(([runId, end]) => [runId.split('-')[2], end.endReason]).sort()).toEqual([
      ['bad', 'config_error'],
      ['good', 'max_steps'],
    ]);
  });

  it('cancelled, ends the runs in flight and those that never started', async () => {
    fake.tickets = Array.from({ length: 4 }, (_, i) => ticket(String(i), { maxSteps: 10_000 }));
    fake.onCommand = unhurried;
    const handle = await submit(2);
    await until(() => fake.commands.length > 3);
    await handle.cancel();
    await handle.result();
    expect([...fake.ends.values()].map((end) => end.endReason)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(fake.batches).toEqual([{ batchId: `b-${serial}`, cancelled: true }]);
  });

  it('takes up runs that were added at the moment when it ended as cancelled', async () => {
    fake.tickets = [ticket('a', { maxSteps: 10_000 })];
    fake.onCommand = unhurried;
    fake.shardOf = ({ runId }) => (runId.endsWith('late') ? 1 : 0);
    const handle = await submit(2);
    await until(() => fake.commands.length > 0);
    const control = fake.control.bind(fake);
    fake.control = () => ({
      ...control(),
      finishBatch: async (args) => {
        const finished = await control().finishBatch(args);
        if (args.cancelled) {
          fake.tickets.push(ticket('late', { maxSteps: 1 }));
          await handle.signal('batchChanged');
        }
        return finished;
      },
    });
    await handle.cancel();
    await handle.result();
    expect(fake.ends.get(`r-${serial}-a`)?.endReason).toBe('cancelled');
    expect(fake.ends.get(`r-${serial}-late`)?.endReason).toBe('max_steps');
  });

  it('keeps its whole window in use while a slow run of an earlier shard goes on', async () => {
    fake.tickets = Array.from({ length: 8 }, (_, i) => ticket(`w${i}`, { maxSteps: 1 }));
    fake.shardOf = ({ runId }) => Math.floor(Number(runId.slice(-1)) / 2);
    const waiting = held();
    const handle = await submit(3);
    await until(() => waiting.size === 3);
    const slow = waiting.get(`r-${serial}-w0`)!;
    waiting.delete(`r-${serial}-w0`);
    for (let ended = 1; ended < 8; ended += 1) {
      // Besides the slow one always two, as long as there are any.
      await until(() => waiting.size === Math.min(2, 8 - ended));
      [...waiting.values()][0]!();
      await until(() => fake.ends.size === ended);
    }
    slow();
    expect(await handle.result()).toEqual({ runs: 8 });
  });

  it('paused, starts no run and lets those in flight end; resumed, goes on with a wider window', async () => {
    fake.tickets = Array.from({ length: 6 }, (_, i) => ticket(`p${i}`, { maxSteps: 1 }));
    const waiting = held();
    const handle = await submit(2);
    await until(() => waiting.size === 2);
    fake.batch.paused = true;
    await handle.signal('batchChanged');
    const shard = client.workflow.getHandle(`batch/b-${serial}/shard-0`);
    await untilAsync(async () => (await eventNames(shard)).includes('pause'));
    for (const end of waiting.values()) end();
    await until(() => fake.ends.size === 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(waiting.size).toBe(0);
    fake.batch = { concurrency: 4, paused: false };
    await handle.signal('batchChanged');
    await until(() => waiting.size === 4);
    for (const end of waiting.values()) end();
    expect(await handle.result()).toEqual({ runs: 6 });
  });

  it('starts no run after the one whose failure pauses it, and continues when it is resumed', async () => {
    fake.tickets = Array.from({ length: 5 }, (_, i) => ticket(`f${i}`, { maxSteps: 1 }));
    fake.onStart = async () => Promise.reject(configFailure('the key is refused'));
    const control = fake.control.bind(fake);
    let isResumed = false;
    fake.control = () => ({
      ...control(),
      batchState: async (args) => ({
        ...(await control().batchState(args)),
        paused: !isResumed && fake.ends.size >= 3,
      }),
    });
    const handle = await submit(1);
    // The shard signals the batch that it is paused.
    await untilAsync(async () => (await eventNames(handle)).includes('batchChanged'));
    expect(fake.ends.size).toBe(3);
    isResumed = true;
    await handle.signal('batchChanged');
    expect(await handle.result()).toEqual({ runs: 5 });
    expect(fake.ends.size).toBe(5);
  });

  it.runIf(LONG)('takes up shards that were added while it ran', async () => {
    fake.tickets = [ticket('a')];
    fake.shardOf = ({ runId }) => (runId.endsWith('late') ? 1 : 0);
    const waiting = held();
    // A run of a shard whose workflow failed is open still when all shards have ended.
    const control = fake.control.bind(fake);
    const answers = [false];
    fake.control = () => ({
      ...control(),
      finishBatch: async (args) => answers.shift() ?? (await control().finishBatch(args)),
    });
    const handle = await submit(2);
    await until(() => waiting.size === 1);
    fake.tickets.push(ticket('late'));
    await handle.signal('batchChanged');
    await until(() => waiting.size === 2);
    for (const end of waiting.values()) end();
    expect(await handle.result()).toEqual({ runs: 2 });
    expect(fake.batches).toEqual([{ batchId: `b-${serial}`, cancelled: false }]);
  });

  it('started again after it was terminated, waits for the runs that went on without it and repeats none', async () => {
    fake.tickets = [ticket('a', { maxSteps: 30 }), ticket('b', { maxSteps: 30 })];
    fake.shardOf = ({ runId }) => (runId.endsWith('b') ? 1 : 0);
    // In the midst of them, until the batch is gone.
    let goOn = (): void => undefined;
    const gone = new Promise<void>((resolve) => (goOn = resolve));
    fake.onCommand = async ({ step }) => {
      if (step === 2) await gone;
      return { requested: null, exitCode: 0, timedOut: false, ms: 1 };
    };
    const handle = await submit(2);
    await until(() => fake.commands.length === 4);
    await handle.terminate('test');
    // One shard goes on without the batch, of the other only the run.
    await client.workflow.getHandle(`batch/b-${serial}/shard-0`).terminate('test');
    goOn();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    await (await submit(2)).result();
    expect(fake.ends.size).toBe(2);
    expect(fake.starts).toHaveLength(2);
    expect(fake.commands).toHaveLength(60);
  });
});

describe('the GPU pool', () => {
  beforeEach(async () => {
    fake.requestLease = async (request) => {
      await client.workflow.signalWithStart('gpuPool', {
        workflowId: GPU_POOL_WORKFLOW_ID,
        taskQueue: CONTROL_QUEUE,
        signal: 'requestLease',
        signalArgs: [request],
      });
    };
    fake.onReleased = async (runId, token) => {
      await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).signal('releaseLease', { runId, token });
    };
    fake.onHostsChanged = async () => {
      await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).signal('hostsChanged');
    };
    fake.onAbandoned = async (runId, token) => {
      await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).signal('abandonLease', { runId, token });
    };
    fake.hosts = [{ hostId: HOST, devices: ['0', '1'] }];
  });

  it('makes runs wait for a lease, never gives a GPU to two, and serves all', async () => {
    const holders = new Map<string, string>();
    const doubles: string[] = [];
    fake.onStart = async ({ runId, devices }) => {
      for (const device of devices) {
        if (holders.has(device)) doubles.push(device);
        holders.set(device, runId);
      }
    };
    const base = fake.host.bind(fake);
    fake.host = () => ({
      ...base(),
      stopContainer: async ({ runId }) => {
        for (const [device, holder] of holders) if (holder === runId) holders.delete(device);
      },
    });
    const ends = await Promise.all([1, 2, 1, 1, 2].map((gpus, i) => play(ticket(`g${i}`, { gpus, maxSteps: 2 }))));
    expect(ends.map((end) => end.endReason)).toEqual(Array(5).fill('max_steps'));
    expect(doubles).toEqual([]);
    expect(fake.recorded.map((r) => r.lease.token)).toHaveLength(5);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it('that was idle looks which GPUs there are now before it grants one', async () => {
    const [early, late] = [ticket('early', { gpus: 1, maxSteps: 1 }), ticket('late', { gpus: 1, maxSteps: 1 })];
    await play(early);
    // Somebody else computes on the first GPU by now.
    fake.hosts = [{ hostId: HOST, devices: ['1'] }];
    await play(late);
    expect(fake.starts.map(({ runId, devices }) => [runId, devices])).toEqual([
      [early.runId, ['0']],
      [late.runId, ['1']],
    ]);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it('keeps its GPU for the hidden test where the evaluator needs one, and then returns it', async () => {
    const [blind, seeing] = [false, true].map((evaluatorGpu) =>
      ticket(`hidden-${evaluatorGpu}`, { gpus: 1, maxSteps: 1, hiddenSplit: true, evaluatorGpu }),
    ) as [RunTicket, RunTicket];
    const returned: (string[] | undefined)[] = [];
    fake.onHidden = async () => {
      returned.push(fake.released.map(({ runId }) => runId));
      return { more: false, final: 'ok' };
    };
    await play(blind);
    await play(seeing);
    expect(returned).toEqual([[blind.runId], [blind.runId]]);
    expect(fake.released.map(({ runId }) => runId)).toEqual([blind.runId, seeing.runId]);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it('leases a GPU for the test of a tree whose evaluator needs one', async () => {
    fake.onCommand = async (args) => ({
      requested: args.step === 1 ? 'validate' : null,
      ...{ exitCode: 0, timedOut: false, ms: 1 },
    });
    const tree = ticket('tree', { gpus: 1, search: true, hiddenSplit: true, evaluatorGpu: true });
    fake.waves = [{ tickets: [ticket('node', { node: true })], ended: [] }];
    const end = await client.workflow.execute<(input: RunTicket) => Promise<RunEnd>>('search', {
      ...{ workflowId: `run/${tree.runId}`, taskQueue: CONTROL_QUEUE, args: [tree] },
    });
    expect(end.finalEvaluation).toBe('ok');
    expect(fake.recorded.map(({ runId }) => runId)).toEqual([tree.runId]);
    expect(fake.released.map(({ runId }) => runId)).toEqual([tree.runId]);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it('leases a run another GPU when the host of its own was drained since the pool looked', async () => {
    const drained = 'a-host-that-is-drained';
    fake.hosts = [
      { hostId: drained, devices: ['0'] },
      { hostId: HOST, devices: ['7'] },
    ];
    const control = fake.control.bind(fake);
    fake.control = () => ({
      ...control(),
      async recordLease(args) {
        fake.drained = [drained];
        return await control().recordLease(args);
      },
    });
    expect((await play(ticket('a', { gpus: 1, maxSteps: 1 }))).endReason).toBe('max_steps');
    expect(fake.recorded.map(({ lease }) => [lease.hostId, lease.devices])).toEqual([
      [drained, ['0']],
      [HOST, ['7']],
    ]);
    expect(fake.starts.map(({ devices }) => devices)).toEqual([['7']]);
    expect(fake.released.map(({ token }) => token)).toEqual(fake.recorded.map(({ lease }) => lease.token));
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  // A host is lost only after an activity waited for 20 seconds: test/home/hosts.test.ts.
  it.runIf(RECORDING)('goes on at another host, with another GPU, when its host is lost', async () => {
    const left = 'a-host-that-leaves';
    const leaving = await Worker.create({
      connection,
      taskQueue: hostQueue(left),
      activities: {
        startContainer: async () => undefined,
        ...late(['playSteps'], (one) => one.host()),
      },
    });
    const leavingRun = leaving.run();
    fake.hosts = [left, HOST].map((hostId) => ({ hostId, devices: ['0'] }));
    // Its slice ends, so that the worker can stop meanwhile.
    fake.callsModels = false;
    fake.onNextAction = async () => {
      if (leaving.getState() === 'RUNNING') leaving.shutdown();
      await leavingRun;
      return { kind: 'action', endReason: null, ms: 1 };
    };
    const control = fake.control.bind(fake);
    fake.control = () => ({
      ...control(),
      judgeHost: async (args) => {
        if (fake.judged.length === 1) fake.lostHosts = [left];
        return await control().judgeHost(args);
      },
    });
    expect((await play(ticket('a', { gpus: 1, maxSteps: 1 }))).endReason).toBe('max_steps');
    expect(fake.starts.map(({ epoch }) => epoch)).toEqual([2]);
    expect(fake.judged).toHaveLength(2);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it.runIf(LONG)('takes back the GPU of a run that was terminated, but only when its container is gone', async () => {
    const log: string[] = [];
    fake.onStart = async ({ runId }) => void log.push(`start ${runId}`);
    let refusals = 1;
    const base = fake.host.bind(fake);
    fake.host = () => ({
      ...base(),
      stopContainer: async ({ runId }) => {
        if (refusals-- > 0) throw ApplicationFailure.create({ message: 'the engine is away', nonRetryable: true });
        log.push(`stop ${runId}`);
      },
    });
    fake.closed = async (runIds) => {
      const states = await Promise.all(
        runIds.map(async (runId) => (await client.workflow.getHandle(`run/${runId}`).describe()).status.name),
      );
      return runIds.filter((_, i) => states[i] !== 'RUNNING');
    };
    const release = new Map<string, () => void>();
    fake.onCommand = ({ runId, step }) =>
      new Promise((done) =>
        release.set(runId, () => done({ requested: null, exitCode: step, timedOut: false, ms: 1 })),
      );
    const [lost, next] = [ticket('lost', { gpus: 2, maxSteps: 1 }), ticket('next', { gpus: 2, maxSteps: 1 })];
    const first = play(lost).catch((error: unknown) => error);
    await until(() => release.has(lost.runId));
    const second = play(next);
    await client.workflow.getHandle(`run/${lost.runId}`).terminate('test');
    await until(() => release.has(next.runId));
    // A command that nobody waits for would keep the worker from stopping.
    release.get(lost.runId)!();
    release.get(next.runId)!();
    await second;
    expect(log).toEqual([`start ${lost.runId}`, `stop ${lost.runId}`, `start ${next.runId}`, `stop ${next.runId}`]);
    expect(await first).toBeInstanceOf(WorkflowFailedError);
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });

  it.runIf(LONG)('goes on granting while its history is full and a lease is still being taken back', async () => {
    const pool = await client.workflow.start('gpuPool', {
      workflowId: GPU_POOL_WORKFLOW_ID,
      taskQueue: CONTROL_QUEUE,
      args: [{ ...emptyPool(), continueAfterEvents: 60 }],
    });
    const lost = ticket('lost', { gpus: 1, maxSteps: 1 });
    let clear = (): void => undefined;
    const cleared = new Promise<void>((resolve) => (clear = resolve));
    let clearing = false;
    const base = fake.host.bind(fake);
    fake.host = () => ({
      ...base(),
      stopContainer: async ({ runId }) => {
        if (runId !== lost.runId) return;
        clearing = true;
        await cleared;
      },
    });
    fake.closed = async (runIds) => runIds.filter((runId) => runId === lost.runId && terminated);
    let terminated = false;
    let letGo = (): void => undefined;
    fake.onCommand = ({ runId }) => {
      const result = { requested: null, exitCode: 0, timedOut: false, ms: 1 } as const;
      return runId === lost.runId ? new Promise((done) => (letGo = () => done(result))) : Promise.resolve(result);
    };
    const first = play(lost).catch((error: unknown) => error);
    await until(() => fake.commands.length === 1);
    await client.workflow.getHandle(`run/${lost.runId}`).terminate('test');
    terminated = true;
    await until(() => clearing);
    for (let i = 0; i < 8; i++) await play(ticket(`g${i}`, { gpus: 1, maxSteps: 1 }));
    const status = async () =>
      (await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID, pool.firstExecutionRunId).describe()).status.name;
    const { historyLength } = await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).describe();
    expect(historyLength).toBeGreaterThan(60);
    expect(await status()).toBe('RUNNING');
    clear();
    letGo();
    await untilAsync(async () => (await status()) === 'CONTINUED_AS_NEW');
    expect((await play(ticket('both', { gpus: 2, maxSteps: 1 }))).endReason).toBe('max_steps');
    await first;
    await client.workflow.getHandle(GPU_POOL_WORKFLOW_ID).terminate('test over');
  });
});

/** The signals that a workflow was sent. */
async function eventNames(handle: WorkflowHandle): Promise<(string | null | undefined)[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
}

/** Wait for a condition. */
async function untilAsync(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`the condition was not met in ${WAIT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const until = (condition: () => boolean): Promise<void> => untilAsync(async () => condition());
