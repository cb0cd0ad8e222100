import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { Bench } from '../bench.js';
import { type SubmittedBatch, submitted } from './batch-plan.js';
import { existingBatch } from './existing-batch.js';
import { loadGroups } from './load-groups.js';
import { freezeAndCheck, prepareBatch } from './prepare-batch.js';
import { specificationOf } from './specification.js';
import { storeAndStart } from './store-batch.js';

export interface SubmitOptions {
  /** Its runs rank in its own leaderboard alone. */
  verification?: boolean;
  /** Somebody sits at the terminal to play: without, the model `human` is refused. */
  person?: boolean;
}

/**
 * Expand the matrix, store it, start it. Everything that can be wrong with the request is found before anything is started or
 * written; then the order is: images, tasks frozen, rows in one transaction, workflow. A failure between the last two leaves a batch
 * that `bench resume` starts. A request whose name is taken by a batch of the same specification is that batch.
 */
export async function submitBatch(
  bench: Bench,
  input: BatchRequestInput,
  { verification = false, person = false }: SubmitOptions = {},
): Promise<SubmittedBatch> {
  const request = batchRequest(input);
  const groups = loadGroups(bench, request.groups, { needKeys: true, person });
  const plan = await prepareBatch(bench, request, groups);
  const known = await existingBatch(bench, plan);
  if (known !== null) return known;
  await freezeAndCheck(bench, plan);
  const batch = submitted(plan);
  const { seed, priority } = request;
  await storeAndStart(bench, batch, { spec: specificationOf(plan), seed, priority, verification });
  return batch;
}
