import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { RunSummary } from '../../domain/views/runs.js';

/** A run by its id or an unambiguous part of it. */
export const findRun = ({ queries }: { queries: Pick<RunReads, 'findRun'> }, ref: string): Promise<RunSummary> =>
  queries.findRun(ref);
