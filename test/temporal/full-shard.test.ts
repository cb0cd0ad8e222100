import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BatchInput, ControlActivities, ShardInput } from '../../domain/model/messages.js';
import { SHARD_SIZE } from '../../domain/run/limits.js';
import { CONTROL_QUEUE } from '../../domain/run/queues.js';
import type { batch } from '../../workflows/batch.js';
import type { batchShard } from '../../workflows/batch-shard.js';
import { runTicket } from '../fakes/records.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { LONG } from '../setup/long.js';

/** Per child: initiated, started, completed; the last two each with three workflow task events. */
const MOST_EVENTS_A_RUN = 9;
/** Its own start and end, the activity that loads it, and slots that go back to the batch. */
const MOST_OTHER_EVENTS = 200;
/** In place of the product's thousand. */
const CONTINUE_AFTER_EVENTS = 60;
/** What one workflow task handles may come on top of a full history. */
const MOST_MORE_EVENTS = 100;

let server: TemporalFixture;
let connection: NativeConnection;
let client: Client;
let workflowBundle: WorkflowBundle;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  server = await startTemporal();
  connection = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const workflowsPath = fileURLToPath(new URL('../fakes/shard-workflows.ts', import.meta.url));
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
});
afterAll(async () => {
  await client.connection.close();
  await connection.close();
  await server.stop();
});

async function whilePolling<T>(activities: object, work: () => Promise<T>): Promise<T> {
  const worker = await Worker.create({ connection, taskQueue: CONTROL_QUEUE, workflowBundle, activities });
  return worker.runUntil(work);
}

async function replayed(handle: WorkflowHandle): Promise<number> {
  const history = await handle.fetchHistory();
  const begun = performance.now();
  await Worker.runReplayHistory({ workflowBundle }, history);
  const events = history.events?.length ?? 0;
  const bytes = JSON.stringify(history).length;
  process.stderr.write(
    `${handle.workflowId}: ${events} events, ${bytes} bytes as JSON, replayed in ${Math.round(performance.now() - begun)} ms\n`,
  );
  return events;
}

const tickets = (shard: number, length = SHARD_SIZE) =>
  Array.from({ length }, (_, i) => runTicket({ runId: `r-${shard}-${i}`, batchId: 'b' }));

// Without it, the batch of many shards below has full ones.
it.runIf(LONG)('the history of a full shard is short, and replays', async () => {
  const input: ShardInput = { batchId: 'b', shard: 0, slots: 16, slotsPerReturn: 1, paused: false };
  const handle = await whilePolling({ loadShard: async () => tickets(0) }, async () => {
    const started = await client.workflow.start<typeof batchShard>('batchShard', {
      ...{ taskQueue: CONTROL_QUEUE, workflowId: 'batch/b/shard-0', args: [input] },
    });
    expect(await started.result()).toEqual({ runs: SHARD_SIZE });
    return started;
  });
  expect(await replayed(handle)).toBeLessThan(MOST_EVENTS_A_RUN * SHARD_SIZE + MOST_OTHER_EVENTS);
});

it('a batch of many shards continues in fresh histories, each of which is short and replays', async () => {
  const shards = 8;
  const each = 6;
  const closed = new Set<number>();
  const activities: Partial<ControlActivities> = {
    startBatch: async () => undefined,
    loadShard: async ({ shard }) => {
      closed.add(shard);
      return tickets(100 + shard, each);
    },
    batchState: async () => ({
      ...{ concurrency: 4, paused: false },
      openShards: Array.from({ length: shards }, (_, i) => i).filter((shard) => !closed.has(shard)),
    }),
    shardEnded: async () => false,
    finishBatch: async () => true,
  };
  const input: BatchInput = { batchId: 'b', continueAfterEvents: CONTINUE_AFTER_EVENTS };
  const first = await whilePolling(activities, async () => {
    const started = await client.workflow.start<typeof batch>('batch', {
      ...{ taskQueue: CONTROL_QUEUE, workflowId: 'batch/b', args: [input] },
    });
    expect(await started.result()).toEqual({ runs: shards * each });
    return started;
  });
  const histories = [
    client.workflow.getHandle('batch/b', first.firstExecutionRunId),
    client.workflow.getHandle('batch/b'),
  ];
  expect((await histories[1]?.describe())?.runId).not.toBe(first.firstExecutionRunId);
  for (const history of histories)
    expect(await replayed(history)).toBeLessThan(CONTINUE_AFTER_EVENTS + MOST_MORE_EVENTS);
});
