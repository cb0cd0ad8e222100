import type { ForecastReads } from '../../domain/ports/reading/forecasts.js';
import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import { type SubmittedBatch, batchOf } from './batch-plan.js';
import { resumeIfIdentical, type ResumeIfIdenticalPorts } from './resume-if-identical.js';
import { forecastBatch } from './forecast-batch.js';
import { loadGroups, type LoadPorts } from './load-groups.js';
import { freezeTasks, type FreezePorts, planAndBuildImages, type PreparePorts } from './prepare-batch.js';
import { specificationOf } from './specification.js';
import { storeAndStart, type StorePorts } from './store-batch.js';

export interface SubmitOptions {
  /** Its runs rank only in its own leaderboard. */
  verification?: boolean;
}

export type SubmitPorts = LoadPorts &
  PreparePorts &
  FreezePorts &
  ResumeIfIdenticalPorts &
  StorePorts & {
    queries: Pick<ForecastReads, 'pastRuns' | 'gainSpread' | 'meanGains'>;
    services(): Promise<unknown>;
  };

/**
 * Mistakes that need no engine or database are found first. Then: services start, missing images
 * are built (which chooses the backend), an identical batch of this name is returned, and started
 * if it is neither paused nor ended (a different one is a conflict), tasks are frozen, rows are
 * inserted in one transaction, the workflow starts. If only the start fails, `batch.not_started` is
 * thrown, and a worker or `bench resume` starts the stored batch.
 */
export async function submitBatch(
  ports: SubmitPorts,
  input: BatchRequestInput,
  { verification = false }: SubmitOptions = {},
): Promise<SubmittedBatch> {
  const request = batchRequest(input);
  const groups = loadGroups(ports, request.groups, { needKeys: true });
  // Starts the services: nothing is built or stored without a Temporal that answers.
  await ports.services();
  const plan = await planAndBuildImages(ports, request, groups);
  const existing = await resumeIfIdentical(ports, plan);
  if (existing !== null) return existing;
  await freezeTasks(ports, plan);
  // `bench tasks verify` reports each failed run itself: a breaker would pause its batch.
  const batch = { ...batchOf(plan), ...(verification && { breaker: null }) };
  const { seed, priority } = request;
  // Stored: what the batch may use. Where that comes from is shown by `bench plan`.
  const {
    evidence: _evidence,
    attempts: _attempts,
    ...forecast
  } = await forecastBatch(ports.queries, plan.runs, batch, new Date());
  await storeAndStart(ports, batch, { spec: specificationOf(plan), seed, priority, verification, forecast });
  return batch;
}
