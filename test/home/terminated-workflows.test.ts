import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTemporal } from '../../temporal/connect.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';

const home = new BenchHome({ BENCH_EVALUATIONS: '1' });
let temporal: Client;
beforeAll(async () => {
  temporal = await connectTemporal(await home.json<ServiceEndpoints>('up'), {});
});
afterAll(async () => {
  await temporal.connection.close();
  await home.remove();
});

it.concurrent('a run and a batch whose workflows were terminated go on beside the others, and events tell of it', async () => {
  const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
    ...[
      'submit',
      '--models',
      'scripted:slow:3600',
      '--tasks',
      'battleOfSexes',
      '--attempts',
      '2',
      '--backend',
      'local',
    ],
  );
  const queries = await home.queries();
  const runId = runs[0]?.runId ?? '';
  await until('both runs run', async () => (await queries.batchStatus(batchId)).byStatus['running'] === 2);

  const terminate = (workflowId: string) => temporal.workflow.getHandle(workflowId).terminate('by a test');
  await terminate(`run/${runId}`);
  await terminate(`batch/${batchId}`);
  const told = async (filter: { runId: string } | { batchId: string }) =>
    (await queries.events({ ...filter, kinds: ['workflow_terminated'] })).map(({ detail }) => detail);
  await until('an event tells of the run', async () => (await told({ runId })).length > 0);
  await until('an event tells of the batch', async () =>
    (await told({ batchId })).some((detail) => detail.includes(`batch/${batchId}`)),
  );
  for (const workflowId of [`run/${runId}`, `batch/${batchId}`]) {
    const { status } = await temporal.workflow.getHandle(workflowId).describe();
    expect([workflowId, status.name]).toEqual([workflowId, 'RUNNING']);
  }
  await until('its agent is at work again', async () => {
    const { raw } = await temporal.workflow.getHandle(`run/${runId}`).describe();
    return (raw.pendingActivities ?? []).some(({ activityType }) => activityType?.name === 'playSteps');
  });
  await home.run('cancel', batchId);
  await until('the batch is cancelled', async () => (await queries.batchStatus(batchId)).status === 'cancelled');
  // Nothing of it is started again.
  expect((await queries.batchStatus(batchId)).byEndReason).toEqual({ cancelled: 2 });
});

// Meanwhile: a worker looks for terminated workflows once a minute.
it.concurrent('a host takes no more evaluations at once than it is told, however many runs ask', async () => {
  const matrix = ['--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '5', '--concurrency', '5'];
  const { batchId } = await home.json<{ batchId: string }>('submit', ...matrix, '--backend', 'local', '--wait');
  const rows = await home.sql<{ runs: number; overlaps: number }>(
    `with those as (select e.run_id, e.created_at, e.ended_at from evaluations e join runs r using (run_id)
                    where r.batch_id = $1 and e.status = 'ok')
     select (select count(distinct run_id)::int from those) as runs, count(*)::int as overlaps
     from those a join those b on a.run_id < b.run_id and a.created_at < b.ended_at and b.created_at < a.ended_at`,
    [batchId],
  );
  expect(rows).toEqual([{ runs: 5, overlaps: 0 }]);
});
