import { BenchError } from '../../domain/errors.js';

export const missingRun = (runId: string) => new BenchError('not_found', `no run ${runId} in the database`);
export const missingBatch = (batchId: string) => new BenchError('not_found', `no batch ${batchId} in the database`);
