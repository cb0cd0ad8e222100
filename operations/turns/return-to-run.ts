import { BenchError } from '../../domain/errors.js';
import { startBatch } from '../batches/start-batch.js';
import type { Bench } from '../bench.js';
import { findRun } from '../results/find-run.js';

/**
 * The id of a run that a person plays, to go on with; its batch is started again if nothing runs it.
 * @throws BenchError (usage) if no person plays it.
 */
export async function returnToRun(bench: Bench, ref: string): Promise<string> {
  const run = await findRun(bench, ref);
  if (run.modelKind !== 'human')
    throw new BenchError('usage', `run ${run.runId} is played by ${run.model}, not a person`, {
      remedy: '`bench runs` lists those of people; `bench human` starts one.',
      fields: { models: 'human', task: '<task>' },
    });
  if (run.status !== 'ended') await startBatch(bench, run.batchId);
  return run.runId;
}
