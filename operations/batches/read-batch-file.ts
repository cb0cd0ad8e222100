import { loadBatchFile } from '../../catalog/batch-file.js';
import type { BatchRequestInput } from '../../domain/requests/batch.js';

/** Throws BenchError (usage) that names file, line and key of each mistake. */
export const readBatchFile = (path: string): BatchRequestInput => loadBatchFile(path);
