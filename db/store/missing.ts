import { BenchError } from '../../domain/errors.js';

export const missingRun = (runId: string) =>
  new BenchError('not_found', `no run ${runId} in the database`, { code: 'run.not_found' });
export const missingBatch = (batchId: string) =>
  new BenchError('not_found', `no batch ${batchId} in the database`, { code: 'batch.not_found' });
