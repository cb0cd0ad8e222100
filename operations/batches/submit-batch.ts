import type { ForecastReads } from '../../domain/ports/reading/forecasts.js';
import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import { type SubmittedBatch, submitted } from './batch-plan.js';
import { existingBatch, type ExistingBatchPorts } from './existing-batch.js';
import { forecastBatch } from './forecast-batch.js';
import { loadGroups, type LoadPorts } from './load-groups.js';
import { freezeAndCheck, type FreezePorts, prepareBatch, type PreparePorts } from './prepare-batch.js';
import { specificationOf } from './specification.js';
import { storeAndStart, type StorePorts } from './store-batch.js';

export interface SubmitOptions {
  /** Its runs rank only in its own leaderboard. */
  verification?: boolean;
  /** A person at the terminal plays; without, the model `human` is refused. */
  person?: boolean;
}

export type SubmitPorts = LoadPorts &
  PreparePorts &
  FreezePorts &
  ExistingBatchPorts &
  StorePorts & {
    queries: Pick<ForecastReads, 'pastRuns' | 'gainSpread'>;
    services(): Promise<unknown>;
  };

/**
 * Expand the matrix, store it, start it. All mistakes in the request are found before anything is
 * started or written. Then: build images, freeze tasks, insert rows in one transaction, start the
 * workflow. A failure between the last two leaves a batch that `bench resume` starts. If an
 * identical batch of this name exists, it is resumed instead.
 */
export async function submitBatch(
  ports: SubmitPorts,
  input: BatchRequestInput,
  { verification = false, person = false }: SubmitOptions = {},
): Promise<SubmittedBatch> {
  const request = batchRequest(input);
  const groups = loadGroups(ports, request.groups, { needKeys: true, person });
  // Nothing begins without a Temporal that answers.
  await ports.services();
  const plan = await prepareBatch(ports, request, groups);
  const known = await existingBatch(ports, plan);
  if (known !== null) return known;
  await freezeAndCheck(ports, plan);
  // `bench tasks verify` reports each end itself and has to return.
  const batch = { ...submitted(plan), ...(verification && { breaker: null }) };
  const { seed, priority } = request;
  const {
    evidence: _from,
    attempts: _needed,
    ...forecast
  } = await forecastBatch(ports.queries, plan.runs, batch, new Date());
  await storeAndStart(ports, batch, { spec: specificationOf(plan), seed, priority, verification, forecast });
  return batch;
}
