import type { Statements } from '../../statements.js';
import { missingRun } from '../missing.js';

export async function spending(
  run: Statements,
  runId: string,
): Promise<{ confirmedUsd: string; unconfirmedUsd: string; tokens: number }> {
  const [row] = await run<{ confirmed: string; unconfirmed: string; tokens: number }>(
    'spending',
    // Includes lost calls of the run that the budget stopped, and that this one continues.
    `with recursive line as (
           select run_id, replaces from runs where run_id = $1
           union all
           select r.run_id, r.replaces from line join runs r on r.run_id = line.replaces where r.end_reason = 'budget'
         )
         select trim_scale(r.cost_usd)::text as confirmed, (r.input_tokens + r.output_tokens)::float8 as tokens,
           (select trim_scale(coalesce(sum(c.reserved_usd), 0))::text from model_calls c join line on line.run_id = c.run_id
            where c.status in ('reserved', 'unconfirmed')) as unconfirmed
         from runs r where r.run_id = $1`,
    [runId],
  );
  if (row === undefined) throw missingRun(runId);
  return { confirmedUsd: row.confirmed, unconfirmedUsd: row.unconfirmed, tokens: row.tokens };
}

/** Shown with the end of the run. */
export async function noteRefused(run: Statements, runId: string, reservedUsd: string): Promise<void> {
  await run('noteRefused', 'update runs set refused_usd = $2::numeric where run_id = $1', [runId, reservedUsd]);
}
