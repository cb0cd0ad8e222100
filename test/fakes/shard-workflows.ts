import { sleep } from '@temporalio/workflow';
import type { RunEnd, RunTicket } from '../../domain/run/run.js';

export { batch } from '../../workflows/batch.js';
export { batchShard } from '../../workflows/batch-shard.js';

/** A run that only takes time; durations differ. */
export async function run({ runId }: RunTicket): Promise<RunEnd> {
  await sleep(20 + ((Number(runId.split('-').at(-1)) * 37) % 100));
  return { endReason: 'submit', finalEvaluation: 'ok', detail: null };
}
