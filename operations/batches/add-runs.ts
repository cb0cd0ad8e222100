import { BenchError } from '../../domain/errors.js';
import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import { freezeAndCheck, harnessVersion, loadGroups, prepareRuns } from './submit-batch.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { GroupRequest, SubmittedBatch } from './request.js';

/**
 * More runs for a batch that is stored, whether it runs, is paused or is over. Attempts go on after the highest one that the batch has of
 * the same model and task.
 */
export async function addRuns(
  bench: Bench,
  batch: BatchSummary,
  request: GroupRequest & { backend: Backend | undefined; dryRun: boolean },
): Promise<SubmittedBatch> {
  const { batchId } = batch;
  const named = loadGroups(bench, [request], { needKeys: !request.dryRun, person: false });
  const database = await bench.database();
  const before = new Map(
    (await database.batches.attempts(batchId)).map(({ model, task, attempt }) => [`${model}\n${task}`, attempt]),
  );
  const { groups, backend, runs, skipped } = await prepareRuns(bench, named, {
    ...{ batchId, backend: request.backend, dryRun: request.dryRun, seed: batch.seed },
    firstAttempt: (model, task) => (before.get(`${model}\n${task}`) ?? 0) + 1,
  });
  const added: SubmittedBatch = {
    ...{ batchId, name: batch.name, backend, runs, skipped },
    ...{ concurrency: batch.concurrency, budgetUsd: batch.budgetUsd },
  };
  if (request.dryRun) return added;
  await freezeAndCheck(bench, groups, added);
  await appendAndStart(bench, batchId, runs);
  return added;
}

/** Rows in one transaction, then the workflow is told or started. */
export async function appendAndStart(
  bench: Bench,
  batchId: string,
  runs: Parameters<Awaited<ReturnType<Bench['database']>>['append']>[1],
): Promise<void> {
  await bench.renewWorker();
  const database = await bench.database();
  const client = await bench.temporal();
  await database.append(batchId, runs, harnessVersion(bench.settings.assetsRoot));
  try {
    await startBatchWorkflow(client, { batchId });
  } catch (cause) {
    throw new BenchError(
      'services',
      `${runs.length} runs were added to batch ${batchId}, but it could not be started`,
      {
        remedy: `\`bench resume ${batchId}\` starts it.`,
        cause,
      },
    );
  }
}
