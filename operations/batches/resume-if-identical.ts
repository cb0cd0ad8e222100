import type { Client } from '@temporalio/client';
import { BenchError } from '../../domain/errors.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import { type BatchPlan, type SubmittedBatch, batchOf } from './batch-plan.js';
import { specificationDifferences, specificationOf } from './specification.js';

export interface ResumeIfIdenticalPorts {
  batchControl: Pick<BatchControl, 'named'>;
  queries: Pick<BatchReads, 'batchStatus'>;
  store: Pick<RunDefinitions, 'definition'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
}

/**
 * Resumes the batch of this name if its specification is equal; null: the name is free. Throws
 * BenchError (conflict) if the specification differs.
 */
export async function resumeIfIdentical(
  ports: ResumeIfIdenticalPorts,
  plan: BatchPlan,
): Promise<SubmittedBatch | null> {
  const { name } = plan.request;
  if (name === null) return null;
  const { batchControl, queries, store } = ports;
  const known = await batchControl.named(name);
  if (known === null) return null;
  const { batchId } = known;
  const differences = specificationDifferences(known.spec, specificationOf(plan));
  if (differences.length > 0) {
    const more = differences.length > 5 ? `, and ${differences.length - 5} more` : '';
    throw new BenchError('conflict', `a batch named "${name}" already exists with another specification`, {
      code: 'batch.name_taken',
      remedy: `Differences: ${differences.slice(0, 5).join('; ')}${more}. Choose another name, or add the runs to that batch.`,
      fields: { name: true, into: name },
    });
  }
  const { status, runList } = await queries.batchStatus(batchId);
  if (status === 'queued' || status === 'running') {
    await ports.renewWorker();
    await startBatchWorkflow(await ports.temporal(), { batchId });
  }
  const runs = await Promise.all(runList.map(({ runId }) => store.definition(runId)));
  return { ...batchOf(plan), batchId, runs, existing: true };
}
