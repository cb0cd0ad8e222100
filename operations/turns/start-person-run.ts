import type { BatchRequestInput } from '../../domain/requests/batch.js';
import { submitBatch } from '../batches/submit-batch.js';

export async function startPersonRun(
  ports: Parameters<typeof submitBatch>[0],
  task: string,
  options: BatchRequestInput,
): Promise<string> {
  const request = { ...options, models: ['human'], tasks: [task], attempts: 1, concurrency: 1 };
  const batch = await submitBatch(ports, request);
  const [run, ...others] = batch.runs;
  if (run === undefined || others.length > 0) throw new Error(`batch ${batch.batchId} has ${batch.runs.length} runs`);
  return run.runId;
}
