import { loadBatchFile } from '../../catalog/index.js';
import type { BatchRequestInput } from '../../domain/requests/batch.js';

/** The request that a batch file states. BenchError (usage): names file, line and key of what is wrong. */
export const readBatchFile = (path: string): BatchRequestInput => loadBatchFile(path);
