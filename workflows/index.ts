// The bundle's entry: only workflows are exported.
export { batch } from './batch.js';
export { batchShard } from './batch-shard.js';
export { run } from './run.js';
export { search } from './search.js';
export { scheduledBatch } from './scheduled-batch.js';
export { gpuPool } from './gpu-pool.js';
