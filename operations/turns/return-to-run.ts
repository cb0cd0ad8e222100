import { BenchError } from '../../domain/errors.js';
import { startBatch } from '../batches/start-batch.js';
import { findRun } from '../results/find-run.js';
import type { PortsOf } from '../ports-of.js';

export type ReturnPorts = PortsOf<typeof findRun | typeof startBatch>;

/**
 * The id of a run that a person plays, to continue it; its batch is restarted if nothing runs it.
 * @throws BenchError (usage) if no person plays it.
 */
export async function returnToRun(ports: ReturnPorts, ref: string): Promise<string> {
  const run = await findRun(ports, ref);
  if (run.modelKind !== 'human')
    throw new BenchError('usage', `run ${run.runId} is played by ${run.model}, not a person`, {
      remedy: '`bench runs` lists those of people; `bench human` starts one.',
      fields: { models: 'human', task: '<task>' },
    });
  if (run.status !== 'ended') await startBatch(ports, run.batchId);
  return run.runId;
}
