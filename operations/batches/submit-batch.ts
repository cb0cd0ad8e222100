import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import type { Bench } from '../bench.js';
import { type SubmittedBatch, submitted } from './batch-plan.js';
import { existingBatch } from './existing-batch.js';
import { forecastBatch } from './forecast-batch.js';
import { loadGroups } from './load-groups.js';
import { freezeAndCheck, prepareBatch } from './prepare-batch.js';
import { specificationOf } from './specification.js';
import { storeAndStart } from './store-batch.js';

export interface SubmitOptions {
  /** Its runs rank only in its own leaderboard. */
  verification?: boolean;
  /** Somebody sits at the terminal to play: without, the model `human` is refused. */
  person?: boolean;
}

/**
 * Expand the matrix, store it, start it. All mistakes in the request are found before anything is started or written. Then: build
 * images, freeze tasks, insert rows in one transaction, start the workflow. A failure between the last two leaves a batch that
 * `bench resume` starts. If an identical batch of this name exists, it is resumed instead.
 */
export async function submitBatch(
  bench: Bench,
  input: BatchRequestInput,
  { verification = false, person = false }: SubmitOptions = {},
): Promise<SubmittedBatch> {
  const request = batchRequest(input);
  const groups = loadGroups(bench, request.groups, { needKeys: true, person });
  // Without a Temporal that answers nothing is begun.
  await bench.services();
  const plan = await prepareBatch(bench, request, groups);
  const known = await existingBatch(bench, plan);
  if (known !== null) return known;
  await freezeAndCheck(bench, plan);
  // `bench tasks verify` reports each end itself and has to return.
  const batch = { ...submitted(plan), ...(verification && { breaker: null }) };
  const { seed, priority } = request;
  const {
    evidence: _from,
    attempts: _needed,
    ...forecast
  } = await forecastBatch((await bench.database()).queries, plan.runs, batch, new Date());
  await storeAndStart(bench, batch, { spec: specificationOf(plan), seed, priority, verification, forecast });
  return batch;
}
