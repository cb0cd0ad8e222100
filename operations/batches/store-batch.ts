import { harnessVersion } from '../harness-version.js';
import type { Client } from '@temporalio/client';
import type { BatchDefinition, BatchIntake } from '../../domain/ports/record/batch-intake.js';
import { BenchError } from '../../domain/errors.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import { asBenchError } from '../as-bench-error.js';
import type { BenchSettings } from '../settings.js';
import type { SubmittedBatch } from './batch-plan.js';

/** A worker starts a stored batch within a minute of Temporal's return. */
export const notStarted = (batchId: string): string =>
  `A worker starts it once Temporal answers. \`bench resume ${batchId}\` does so at once, \`bench cancel ${batchId}\` drops it.`;

export interface StorePorts {
  settings: Pick<BenchSettings, 'assetsRoot'>;
  intake: Pick<BatchIntake, 'submit'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
}

export async function storeAndStart(
  ports: StorePorts,
  { batchId, name, runs, concurrency, budgetUsd, allocation = null, breaker }: SubmittedBatch,
  batch: Pick<BatchDefinition, 'spec' | 'seed' | 'priority' | 'verification' | 'forecast'>,
): Promise<void> {
  await ports.renewWorker();
  const client = await ports.temporal();
  const version = harnessVersion(ports.settings.assetsRoot);
  const ofBatch = {
    ...{ batchId, name, concurrency, budgetUsd, allocation, breaker, harnessVersion: version },
    ...batch,
  };
  await ports.intake.submit({ batch: ofBatch, runs });
  try {
    await startBatchWorkflow(client, { batchId });
  } catch (cause) {
    throw new BenchError(
      'services',
      `batch ${batchId} is stored with ${runs.length} runs, but could not be started: ${asBenchError(cause).message}`,
      { code: 'batch.not_started', remedy: notStarted(batchId), cause },
    );
  }
}
