import { ApplicationFailure } from '@temporalio/common';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONTROL_QUEUE, GPU_POOL_WORKFLOW_ID, PLACEMENT_QUEUE, hostQueue, modelQueue } from '../../domain/queues.js';
import type { AgentLoopInput, AgentLoopResult, BatchResult } from '../../domain/messages.js';
import type { RunEnd, RunTicket } from '../../domain/run.js';
import { FakeActivities, configFailure, sandboxLost } from '../fakes/fake-activities.js';
import { runTicket } from '../fakes/records.js';
import { recordHistories } from '../replay/record-histories.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';

const HOST = 'test-host';

let server: TemporalFixture;
let client: Client;
let connection: NativeConnection;
let workers: Worker[];
let running: Promise<unknown>;
/** The workers call through this, so that each test has its own record. */
let fake = new FakeActivities();
let serial = 0;

/** Activities are looked up at each call: a fresh FakeActivities per test, one set of workers for all. */
const late = (names: string[], of: () => object): Record<string, (args: unknown) => Promise<unknown>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (args: unknown) => (of() as Record<string, (a: unknown) => Promise<unknown>>)[name]!(args),
    ]),
  );

beforeAll(async () => {
  server = await startTemporal();
  connection = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  const create = (taskQueue: string, activities: object, code: object = {}): Promise<Worker> =>
    Worker.create({ connection, taskQueue, activities, ...code });
  workers = await Promise.all([
    create(
      CONTROL_QUEUE,
      late(Object.keys(fake.control()), () => fake.control()),
      { workflowsPath },
    ),
    create(PLACEMENT_QUEUE, fake.placement(HOST)),
    create(
      hostQueue(HOST),
      late(Object.keys(fake.host()), () => fake.host()),
    ),
    create(
      modelQueue('scripted'),
      late(['nextAction'], () => fake.model()),
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
  serial += 1;
});

// The histories of one test, for test/replay; recorded only when asked.
afterEach(async ({ task }) => {
  if (process.env['BENCH_RECORD_HISTORIES'] === undefined) return;
  const pool = task.suite?.name === 'the GPU pool' ? [GPU_POOL_WORKFLOW_ID] : [];
  const ids: string[] = [];
  // By id, not from visibility, which lags.
  for (const id of [
    `batch/b-${serial}`,
    `batch/b-${serial}/shard-0`,
    `run/r-${serial}-a`,
    `run/r-${serial}-a/agent-loop`,
    `loop/${serial}`,
  ]) {
    const known = await client.workflow
      .getHandle(id)
      .describe()
      .catch(() => null);
    if (known !== null) ids.push(id);
  }
  await recordHistories(client, server.address, task.name, [...ids, ...pool]);
});

const ticket = (name: string, over: Partial<RunTicket> = {}): RunTicket =>
  runTicket({ runId: `r-${serial}-${name}`, batchId: `b-${serial}`, ...over });

const play = (one: RunTicket): Promise<RunEnd> =>
  client.workflow.execute<(ticket: RunTicket) => Promise<RunEnd>>('run', {
    workflowId: `run/${one.runId}`,
    taskQueue: CONTROL_QUEUE,
    args: [one],
  });
const submitAt = (step: number) => async (args: { step: number }) => ({
  requested: args.step === step ? ('submit' as const) : null,
  exitCode: 0,
  timedOut: false,
  ms: 1,
});

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
    expect(fake.evaluations.map((e) => [e.kind, e.step])).toEqual([['forced', 4]]);
  });

  it('is evaluated when no reply of a step could be used', async () => {
    fake.onNextAction = async (_, step) =>
      step === 2 ? { kind: 'end', endReason: 'format', ms: 1 } : { kind: 'action', endReason: null, ms: 1 };
    expect((await play(ticket('a'))).endReason).toBe('format');
    expect(fake.commands.map((c) => c.step)).toEqual([1]);
    expect(fake.evaluations.map((e) => e.kind)).toEqual(['forced']);
  });

  it('ends by wall time when models and commands have used it up, and never gives a command more than is left', async () => {
    fake.onCommand = async () => ({ requested: null, exitCode: 0, timedOut: false, ms: 4_000 });
    expect((await play(ticket('a', { wallSeconds: 10, commandSeconds: 600 }))).endReason).toBe('wall_time');
    expect(fake.commands.map((c) => c.timeLimitSeconds)).toEqual([10, 6, 2]);
  });

  it('goes on in a new container with the earlier steps replayed when the container is lost', async () => {
    let lost = false;
    fake.onCommand = async (args) => {
      if (args.step === 3 && !lost) {
        lost = true;
        throw sandboxLost();
      }
      return submitAt(5)(args);
    };
    expect((await play(ticket('a'))).endReason).toBe('submit');
    expect(fake.starts.map((s) => [s.epoch, s.replayThrough])).toEqual([
      [1, 0],
      [2, 2],
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

  it('ends as infra_error, never as the agent’s failure, when containers keep getting lost', async () => {
    fake.onCommand = async () => Promise.reject(sandboxLost());
    expect(await play(ticket('a'))).toMatchObject({ endReason: 'infra_error', finalEvaluation: 'not_run' });
    expect(fake.evaluations).toEqual([]);
  });

  it('ends as config_error with the reason when nothing but the operator can help', async () => {
    fake.onStart = async () => Promise.reject(configFailure('task x is not on this host'));
    expect(await play(ticket('a'))).toMatchObject({ endReason: 'config_error', detail: 'task x is not on this host' });
  });

  it('cleans up and ends as cancelled when it is cancelled', async () => {
    const one = ticket('a', { maxSteps: 10_000 });
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

describe('an agent loop', () => {
  it('continues as new when its history grows, and carries step, clock and container on', async () => {
    fake.onCommand = submitAt(12);
    const input: AgentLoopInput = {
      ticket: ticket('a'),
      hostId: HOST,
      devices: [],
      epoch: 3,
      step: 1,
      elapsedMs: 0,
      ending: null,
      continueAfterEvents: 40,
    };
    const workflowId = `loop/${serial}`;
    const handle = await client.workflow.start<(input: AgentLoopInput) => Promise<AgentLoopResult>>('agentLoop', {
      workflowId,
      taskQueue: CONTROL_QUEUE,
      args: [input],
    });
    expect(await handle.result()).toMatchObject({ step: 12, end: { endReason: 'submit' } });
    expect(fake.commands.map((c) => c.step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(new Set(fake.commands.map((c) => c.epoch))).toEqual(new Set([3]));
    const first = await client.workflow.getHandle(workflowId, handle.firstExecutionRunId).describe();
    expect(first.status.name).toBe('CONTINUED_AS_NEW');
  });

  it('keeps a 50-step history under 1,000 events', async () => {
    const one = ticket('a', { maxSteps: 50 });
    await play(one);
    const { historyLength, historySize } = await client.workflow.getHandle(`run/${one.runId}/agent-loop`).describe();
    expect(historyLength).toBeLessThan(1_000);
    expect(historySize).toBeLessThan(1_000_000);
  });
});

describe('a batch', () => {
  const submit = (concurrency: number, shards = 1) =>
    client.workflow.start<(input: { batchId: string; shards: number; concurrency: number }) => Promise<BatchResult>>(
      'batch',
      {
        workflowId: `batch/b-${serial}`,
        taskQueue: CONTROL_QUEUE,
        args: [{ batchId: `b-${serial}`, shards, concurrency }],
      },
    );

  it('keeps at most `concurrency` runs in flight and ends all of them', async () => {
    fake.tickets = Array.from({ length: 7 }, (_, i) => ticket(String(i), { maxSteps: 2 }));
    let inFlight = 0;
    let most = 0;
    fake.onStart = async () => void (most = Math.max(most, ++inFlight));
    const host = fake.host.bind(fake);
    fake.host = () => ({ ...host(), stopContainer: async () => void (inFlight -= 1) });
    expect(await (await submit(3)).result()).toEqual({ runs: 7 });
    expect(fake.ends.size).toBe(7);
    expect(most).toBeLessThanOrEqual(3);
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

  it('started again after it was terminated, waits for the runs that went on without it and repeats none', async () => {
    fake.tickets = [ticket('a', { maxSteps: 30 }), ticket('b', { maxSteps: 30 })];
    const handle = await submit(2);
    await until(() => fake.commands.length > 3);
    await handle.terminate('test');
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
    await client.workflow.signalWithStart('gpuPool', {
      workflowId: GPU_POOL_WORKFLOW_ID,
      taskQueue: CONTROL_QUEUE,
      signal: 'registerHost',
      signalArgs: [{ hostId: HOST, devices: ['0', '1'] }],
    });
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

  it('takes back the GPU of a run that was terminated, but only when its container is gone', async () => {
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
});

/** Wait for a condition, at most a minute. */
async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the condition was not met in a minute');
}
