import { BenchError } from '../../domain/errors.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { Bench } from '../bench.js';
import { type BatchPlan, type SubmittedBatch, submitted } from './batch-plan.js';
import { specificationDifferences, specificationOf } from './specification.js';

/** Resumes the batch of this name if its specification is equal; null: the name is free. Throws BenchError (conflict) if it differs. */
export async function existingBatch(bench: Bench, plan: BatchPlan): Promise<SubmittedBatch | null> {
  const { name } = plan.request;
  if (name === null) return null;
  const { batchControl, queries, store } = await bench.database();
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
    await bench.renewWorker();
    await startBatchWorkflow(await bench.temporal(), { batchId });
  }
  const runs = await Promise.all(runList.map(({ runId }) => store.definition(runId)));
  return { ...submitted(plan), batchId, runs, existing: true };
}
