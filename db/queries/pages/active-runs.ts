import { RUN_STATUSES } from '../../../domain/run/outcomes.js';
import type { ActiveRuns } from '../../../domain/views/run-page.js';
import type { Statements } from '../../statements.js';
import { OWN_BATCH } from '../summaries.js';

/** Read from the index of unfinished runs: what it costs hangs on these alone. */
export async function activeRuns(run: Statements): Promise<ActiveRuns> {
  const rows = await run<{ status: keyof ActiveRuns['runs']; runs: number }>(
    'activeRuns',
    `select r.status, count(*)::int as runs from runs r join batches b on b.batch_id = r.batch_id
     where r.status <> 'ended' and ${OWN_BATCH} group by 1`,
    [],
  );
  const found = Object.fromEntries(RUN_STATUSES.flatMap((status) => (status === 'ended' ? [] : [[status, 0]])));
  for (const { status, runs } of rows) found[status] = runs;
  return { runs: found as ActiveRuns['runs'] };
}
