import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import { type ContinuePorts, continueStopped } from './continue-stopped.js';

export type RaiseBudgetPorts = ContinuePorts & {
  queries: Pick<BatchReads, 'findBatch'>;
  batchControl: Pick<BatchControl, 'raiseBudget'>;
};

/** Raises a batch's total budget. `again`: runs that the old one ended and that continue now. */
export async function raiseBudget(
  ports: RaiseBudgetPorts,
  ref: string,
  budgetUsd: string,
): Promise<{ batchId: string; again: number }> {
  await ports.renewWorker();
  const { batchId } = await ports.queries.findBatch(ref);
  await ports.batchControl.raiseBudget(batchId, budgetUsd);
  return { batchId, again: await continueStopped(ports, batchId) };
}
