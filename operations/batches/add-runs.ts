import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { BenchError } from '../../domain/errors.js';
import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { Bench } from '../bench.js';
import { findBatch } from '../results/find-batch.js';
import { refuseAllocation } from './allocation-of.js';
import { type BatchPlan, type SubmittedBatch, submitted } from './batch-plan.js';
import { loadGroups } from './load-groups.js';
import { planBatch, type PlanOptions } from './plan-batch.js';
import { freezeAndCheck, prepareBatch } from './prepare-batch.js';
import { harnessVersion, notStarted } from './store-batch.js';

/**
 * Adds runs to a stored batch, whether it is running, paused or over. Attempts continue after the highest one of the same model and
 * task. The batch's own settings (name, seed, concurrency, priority, budget, breaker) do not change.
 */
export async function addRuns(bench: Bench, ref: string, input: BatchRequestInput): Promise<SubmittedBatch> {
  const batch = await findBatch(bench, ref);
  const request = batchRequest({ ...input, ...ofBatch(batch) });
  const groups = loadGroups(bench, request.groups, { needKeys: true, person: false });
  refuseAllocation(groups);
  const plan = await prepareBatch(bench, request, groups, await after(bench, batch));
  await freezeAndCheck(bench, plan);
  await appendAndStart(bench, batch.batchId, plan.runs);
  return submitted(plan);
}

/** What would be added. Read-only. */
export async function planAddition(bench: Bench, ref: string, input: BatchRequestInput): Promise<BatchPlan> {
  const batch = await findBatch(bench, ref);
  const plan = await planBatch(bench, { ...input, ...ofBatch(batch) }, await after(bench, batch));
  refuseAllocation(plan.groups);
  return plan;
}

const ofBatch = ({ name, seed, concurrency, budgetUsd, priority, breaker }: BatchSummary) => ({
  name,
  seed,
  concurrency,
  priority,
  budget: budgetUsd,
  breaker: breaker ?? (false as const),
});

/** New attempts come after those that the batch has. */
async function after(bench: Bench, { batchId }: BatchSummary): Promise<PlanOptions> {
  const { batchControl } = await bench.database();
  const before = new Map(
    (await batchControl.attempts(batchId)).map(({ model, task, attempt }) => [`${model}\n${task}`, attempt]),
  );
  return { batchId, firstAttempt: (model, task) => (before.get(`${model}\n${task}`) ?? 0) + 1 };
}

/** Stores the rows in one transaction, then signals or starts the workflow. */
export async function appendAndStart(bench: Bench, batchId: string, runs: SubmittedRun[]): Promise<void> {
  await bench.renewWorker();
  const database = await bench.database();
  const client = await bench.temporal();
  await database.intake.append(batchId, runs, harnessVersion(bench.settings.assetsRoot));
  try {
    await startBatchWorkflow(client, { batchId });
  } catch (cause) {
    throw new BenchError(
      'services',
      `${runs.length} runs were added to batch ${batchId}, but it could not be started`,
      { code: 'batch.not_started', remedy: notStarted(batchId), cause },
    );
  }
}
