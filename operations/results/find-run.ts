import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { RunSummary } from '../../domain/views/runs.js';

export const findRun = ({ queries }: { queries: Pick<RunReads, 'findRun'> }, ref: string): Promise<RunSummary> =>
  queries.findRun(ref);
