import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROL_QUEUE } from '../../domain/run/queues.js';
import type { RunEvent } from '../../domain/ports/record/events.js';
import { stuckWorkflows } from '../../worker/stuck-workflows.js';
import { runTicket } from '../fakes/records.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';

let server: TemporalFixture;
let connection: NativeConnection;
let client: Client;
let worker: Worker;
let running: Promise<void>;
beforeAll(async () => {
  server = await startTemporal();
  connection = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const workflowsPath = fileURLToPath(new URL('../fixtures/failing-workflows.ts', import.meta.url));
  worker = await Worker.create({ connection, taskQueue: CONTROL_QUEUE, workflowsPath });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await client.connection.close();
  await server.stop();
});

/** A look for stuck workflows among these runs, and the events that it records. */
function look(runIds: string[]) {
  const events: (RunEvent & { runId: string | null })[] = [];
  const round = stuckWorkflows({
    client,
    store: {
      quietRuns: async () => runIds,
      ticket: async (runId) => runTicket({ runId, batchId: 'b' }),
      addEvent: async (event) => void events.push(event),
    },
    log: { warn: () => undefined },
  });
  return { events, round };
}

const start = (runId: string) =>
  client.workflow.start('run', { workflowId: `run/${runId}`, taskQueue: CONTROL_QUEUE, args: [] });

/** Until a look has something to say. */
async function lookUntilStuck(runIds: string[]) {
  const { events, round } = look(runIds);
  await expect
    .poll(async () => {
      await round();
      return events.length;
    })
    .toBeGreaterThan(0);
  return events;
}

it('a run whose workflow cannot be executed is started again from its record, with an event', async () => {
  const handle = await start('r-stuck');
  const events = await lookUntilStuck(['r-stuck']);
  expect(events).toMatchObject([{ kind: 'workflow_stuck', runId: 'r-stuck' }]);
  expect(events[0]?.detail).toContain('this code cannot replay its history');
  const first = await client.workflow.getHandle('run/r-stuck', handle.firstExecutionRunId).describe();
  expect(first.status.name).toBe('TERMINATED');
  const now = await client.workflow.getHandle('run/r-stuck').describe();
  expect([now.status.name, now.runId === first.runId]).toEqual(['RUNNING', false]);
  await client.workflow.getHandle('run/r-stuck').terminate();
});

it('one that was cancelled, and could not take that, is cancelled again when it is started', async () => {
  const handle = await start('r-cancelled');
  await handle.cancel();
  await lookUntilStuck(['r-cancelled']);
  const { raw, runId } = await client.workflow.getHandle('run/r-cancelled').describe();
  expect(runId).not.toBe(handle.firstExecutionRunId);
  expect(raw.workflowExtendedInfo?.cancelRequested).toBe(true);
  await client.workflow.getHandle('run/r-cancelled').terminate();
});

it('a workflow that waits, one that is over and one that Temporal does not know are left alone', async () => {
  // No worker has this queue, so its first task waits.
  await client.workflow.start('run', { workflowId: 'run/r-waits', taskQueue: 'no-worker', args: [] });
  const over = await start('r-over');
  await over.terminate();
  const { events, round } = look(['r-waits', 'r-over', 'r-unknown']);
  await round();
  expect(events).toEqual([]);
  expect((await client.workflow.getHandle('run/r-waits').describe()).status.name).toBe('RUNNING');
});
