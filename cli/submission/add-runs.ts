import type { BatchSummary } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import type { Backend } from '../../domain/run.js';
import type { CliContext } from '../context.js';
import { startBatchWorkflow } from './start-batch.js';
import {
  freezeAndCheck,
  type GroupRequest,
  harnessVersion,
  loadGroups,
  prepareRuns,
  type SubmittedBatch,
} from './submit-batch.js';

/**
 * More runs for a batch that is stored, whether it runs, is paused or is over. Attempts go on after the highest one that the batch has of
 * the same model and task.
 */
export async function addRuns(
  context: CliContext,
  batch: BatchSummary,
  request: GroupRequest & { backend: Backend | undefined; dryRun: boolean },
): Promise<SubmittedBatch> {
  const { batchId } = batch;
  const named = loadGroups(context, [request], { needKeys: !request.dryRun, person: false });
  const database = await context.database();
  const before = new Map(
    (await database.batches.attempts(batchId)).map(({ model, task, attempt }) => [`${model}\n${task}`, attempt]),
  );
  const { groups, backend, runs, skipped } = await prepareRuns(context, named, {
    ...{ batchId, backend: request.backend, dryRun: request.dryRun, seed: batch.seed },
    firstAttempt: (model, task) => (before.get(`${model}\n${task}`) ?? 0) + 1,
  });
  const added: SubmittedBatch = {
    ...{ batchId, name: batch.name, backend, runs, skipped },
    ...{ concurrency: batch.concurrency, budgetUsd: batch.budgetUsd },
  };
  if (request.dryRun) return added;
  await freezeAndCheck(context, groups, added);
  await appendAndStart(context, batchId, runs);
  return added;
}

/** Rows in one transaction, then the workflow is told or started. */
export async function appendAndStart(
  context: CliContext,
  batchId: string,
  runs: Parameters<Awaited<ReturnType<CliContext['database']>>['append']>[1],
): Promise<void> {
  await context.renewWorker();
  const database = await context.database();
  const client = await context.temporal();
  await database.append(batchId, runs, harnessVersion(context.settings.assetsRoot));
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
