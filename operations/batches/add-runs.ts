import type { Client } from '@temporalio/client';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { BatchIntake, SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { BenchError } from '../../domain/errors.js';
import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { BenchSettings } from '../settings.js';
import { refuseAllocation } from './allocation-of.js';
import { type BatchPlan, type SubmittedBatch, batchOf } from './batch-plan.js';
import { loadGroups, type LoadPorts } from './load-groups.js';
import { planBatch, type PlanPorts } from './plan-batch.js';
import type { PlanOptions } from './plan-on.js';
import { freezeTasks, type FreezePorts, planAndBuildImages, type PreparePorts } from './prepare-batch.js';
import { notStarted } from './store-batch.js';
import { harnessVersion } from '../harness-version.js';

interface StoredBatchPorts {
  queries: Pick<BatchReads, 'findBatch'>;
  batchControl: Pick<BatchControl, 'attempts'>;
}

export interface AppendPorts {
  settings: Pick<BenchSettings, 'assetsRoot'>;
  intake: Pick<BatchIntake, 'append'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
}

export type AddRunsPorts = StoredBatchPorts & LoadPorts & PreparePorts & FreezePorts & AppendPorts;

/**
 * Adds runs to a stored batch in any state. Attempts continue after the highest one of the same
 * model and task. The batch's own settings do not change.
 */
export async function addRuns(ports: AddRunsPorts, ref: string, input: BatchRequestInput): Promise<SubmittedBatch> {
  const batch = await ports.queries.findBatch(ref);
  const request = batchRequest({ ...input, ...ofBatch(batch) });
  const groups = loadGroups(ports, request.groups, { needKeys: true });
  refuseAllocation(groups);
  const plan = await planAndBuildImages(ports, request, groups, await after(ports, batch));
  await freezeTasks(ports, plan);
  await appendAndStart(ports, batch.batchId, plan.runs);
  return batchOf(plan);
}

export async function planAddition(
  ports: StoredBatchPorts & PlanPorts,
  ref: string,
  input: BatchRequestInput,
): Promise<BatchPlan> {
  const batch = await ports.queries.findBatch(ref);
  const plan = await planBatch(ports, { ...input, ...ofBatch(batch) }, await after(ports, batch));
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

async function after(
  { batchControl }: Pick<StoredBatchPorts, 'batchControl'>,
  { batchId }: BatchSummary,
): Promise<PlanOptions> {
  const before = new Map(
    (await batchControl.attempts(batchId)).map(({ model, task, attempt }) => [`${model}\n${task}`, attempt]),
  );
  return { batchId, firstAttempt: (model, task) => (before.get(`${model}\n${task}`) ?? 0) + 1 };
}

/** Stores the rows in one transaction, then signals or starts the workflow. */
export async function appendAndStart(ports: AppendPorts, batchId: string, runs: SubmittedRun[]): Promise<void> {
  await ports.renewWorker();
  const client = await ports.temporal();
  await ports.intake.append(batchId, runs, harnessVersion(ports.settings.assetsRoot));
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
