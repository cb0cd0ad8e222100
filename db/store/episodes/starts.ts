import type { RunTicket } from '../../../domain/run/run.js';
import type { Statements } from '../../statements.js';
import { TICKETS } from '../definitions.js';

/** Requested, and without a workflow as far as the rows say. */
const NOT_BEGUN = `r.status = 'queued' and ep.requested_at is not null`;

export async function wantEpisode(run: Statements, runId: string): Promise<RunTicket | null> {
  await run(
    'wantEpisode',
    `update episodes set requested_at = coalesce(requested_at, now()) where run_id = $1 and requested_at is null`,
    [runId],
  );
  const [ticket] = await run<RunTicket>('wantEpisode', `${TICKETS} where r.run_id = $1 and ${NOT_BEGUN}`, [runId]);
  return ticket ?? null;
}

export async function notBegunEpisodes(run: Statements, seconds: number): Promise<RunTicket[]> {
  return run<RunTicket>(
    'notBegun',
    `${TICKETS} where ${NOT_BEGUN} and ep.requested_at < now() - make_interval(secs => $1)`,
    [seconds],
  );
}
