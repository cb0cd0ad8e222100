import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { DefaultLogger, Runtime, Worker, bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SIGNAL } from '../../domain/model/messages.js';
import { CONTROL_QUEUE } from '../../domain/run/queues.js';
import type { RunEnd, RunTicket } from '../../domain/run/run.js';
import { runTicket } from '../fakes/records.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';

// Temporal repeats a workflow task that is not completed in ten seconds. A worker stopped meanwhile
// has both attempts, and must see each signal and cancel request between them.

const NAMESPACE = 'default';
const HOST = 'stopped-host';
/** Of the ten seconds that an attempt at a workflow task may take. */
const STOPPED_MS = 8_500;
/** What comes while the worker is stopped, and how the run ends. */
const CASES = {
  ...{ nothing: 'submit', deadline: 'deadline', signal: 'submit' },
  ...{ 'signal-and-cancel': 'cancelled', cancel: 'cancelled' },
} as const;
const NAMES = Object.keys(CASES) as (keyof typeof CASES)[];
/** Between the attempts at a task. */
const DEADLINE_MS = 20_000;

let server: TemporalFixture;
let client: Client;
let bundle: WorkflowBundle;
let worker: StoppableWorker;
const dir = mkdtempSync(join(tmpdir(), 'bench-stopped-'));

beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  server = await startTemporal();
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  bundle = await bundleWorkflowCode({ workflowsPath, logger });
  writeFileSync(join(dir, 'bundle.js'), bundle.code);
  worker = new StoppableWorker(server.address, join(dir, 'bundle.js'));
  await worker.says('ready');
});
afterAll(async () => {
  await worker.kill();
  await client.connection.close();
  await server.stop();
  rmSync(dir, { recursive: true });
});

it('a worker that is stopped loses no signal, cancel request or deadline, and its histories replay', async () => {
  const early = await startAll('early');
  await takeFirstAttempts(early.size, 2);
  worker.go();
  await until(async () => (await workflowPollers()).includes('stopped-worker'));
  const stoppedAt = Date.now();
  worker.signal('SIGSTOP');
  await until(async () => (await startTimes(early)).every((at) => at > stoppedAt));
  await sendEvents(early);
  await sleep(Math.min(...(await startTimes(early))) + STOPPED_MS - Date.now());
  worker.signal('SIGCONT');

  const late = await startAll('late');
  await worker.says('stopped');
  await sendEvents(late);
  await sleep(STOPPED_MS);
  worker.signal('SIGCONT');

  for (const runs of [early, late])
    for (const [name, handle] of runs) expect([name, (await handle.result()).endReason]).toEqual([name, CASES[name]]);
  const histories = await Promise.all(
    [...early.values(), ...late.values()].map(async (handle) => ({
      ...{ workflowId: handle.workflowId, history: await handle.fetchHistory() },
    })),
  );
  const timedOut = histories.filter(({ history }) =>
    history.events?.some((event) => event.workflowTaskTimedOutEventAttributes != null),
  );
  expect(timedOut.length).toBeGreaterThanOrEqual(early.size);
  const failed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle }, histories))
    if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
  expect(failed).toEqual([]);
});

type Runs = Map<keyof typeof CASES, WorkflowHandle<(ticket: RunTicket) => Promise<RunEnd>>>;

async function startAll(time: 'early' | 'late'): Promise<Runs> {
  const runs: Runs = new Map();
  for (const name of NAMES) {
    const over = name === 'deadline' ? { endsBy: Date.now() + DEADLINE_MS } : {};
    const ticket = runTicket({ runId: `r-${time}-${name}`, ...over });
    const options = { workflowId: `run/${ticket.runId}`, taskQueue: CONTROL_QUEUE, args: [ticket] as [RunTicket] };
    runs.set(name, await client.workflow.start<(ticket: RunTicket) => Promise<RunEnd>>('run', options));
  }
  return runs;
}

async function sendEvents(runs: Runs): Promise<void> {
  for (const [name, handle] of runs) {
    if (name.startsWith('signal')) await handle.signal(SIGNAL.turnAnswered, { step: 2, try: 0 });
    if (name.endsWith('cancel')) await handle.cancel();
  }
}

/** A poller that never answers takes so many attempts at the first workflow task of each run. */
async function takeFirstAttempts(runs: number, each: number): Promise<void> {
  for (let taken = 0; taken < runs * each;) {
    const task = await client.connection.withDeadline(Date.now() + 120_000, () =>
      client.workflowService.pollWorkflowTaskQueue({
        ...{ namespace: NAMESPACE, taskQueue: { name: CONTROL_QUEUE }, identity: 'never-answers' },
      }),
    );
    if (task.taskToken.length > 0) taken += 1;
  }
}

async function workflowPollers(): Promise<string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    ...{ namespace: NAMESPACE, taskQueue: { name: CONTROL_QUEUE }, taskQueueType: 1 },
  });
  return (pollers ?? []).map(({ identity }) => identity ?? '');
}

/** When the attempts at the runs' workflow tasks started that are under way, at the server. */
async function startTimes(runs: Runs): Promise<number[]> {
  const { workflowService } = client;
  return Promise.all(
    [...runs.values()].map(async ({ workflowId }) => {
      const execution = { namespace: NAMESPACE, execution: { workflowId } };
      const { pendingWorkflowTask: task } = await workflowService.describeWorkflowExecution(execution);
      return task?.startedTime == null ? 0 : tsToMs(task.startedTime);
    }),
  );
}

class StoppableWorker {
  readonly #process: ChildProcess;
  #said = '';

  constructor(address: string, bundlePath: string) {
    const root = resolve(import.meta.dirname, '../..');
    const program = join(import.meta.dirname, 'stopped-worker.ts');
    const late = String(NAMES.length);
    this.#process = spawn(process.execPath, ['--import', 'tsx', program, address, bundlePath, HOST, late], {
      ...{ cwd: root, stdio: ['pipe', 'pipe', 'inherit'] },
    });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  says(line: string): Promise<void> {
    return until(async () => {
      if (this.#process.exitCode !== null) throw new Error(`the worker has ended\n${this.#said}`);
      return this.#said.split('\n').includes(line);
    });
  }

  go(): void {
    this.#process.stdin?.write('go\n');
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(name);
  }

  async kill(): Promise<void> {
    const ended = new Promise((done) => this.#process.once('close', done));
    if (this.#process.kill('SIGKILL')) await ended;
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 400_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('not met in 400 s');
    await sleep(100);
  }
}
