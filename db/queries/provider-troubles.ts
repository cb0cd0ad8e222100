import type { Statements } from '../statements.js';
import { isoTime, isoTimeOrNull } from './summaries.js';
import type { ProviderTrouble } from '../../domain/views/provider-trouble.js';

/** Of a batch, or of one run. */
export async function providerTroubles(
  run: Statements,
  of: { batchId: string } | { runId: string },
): Promise<ProviderTrouble[]> {
  const rows = await run<Omit<ProviderTrouble, 'at' | 'nextTryAt'> & { at: Date; nextTryAt: Date | null }>(
    'providerTroubles',
    `select r.model_name as model, failed.endpoint, failed.error,
       -- Details differ by the request's id.
       (array_agg(failed.error_detail order by failed.ended_at desc))[1] as detail,
       count(*)::int as runs, max(failed.ended_at) as at, min(failed.retry_at) filter (where last.status <> 'reserved') as "nextTryAt"
     from runs r
     cross join lateral (
       select c.step, c.try, c.status from model_calls c where c.run_id = r.run_id
       order by c.step desc, c.try desc, c.attempt desc limit 1
     ) last
     cross join lateral (
       select c.endpoint, c.error, c.error_detail, c.ended_at, c.retry_at from model_calls c
       where c.run_id = r.run_id and c.step = last.step and c.try = last.try
         and c.status in ('failed', 'unconfirmed') and c.error not in ('not_sent', 'lost')
       order by c.attempt desc limit 1
     ) failed
     where ${'batchId' in of ? 'r.batch_id' : 'r.run_id'} = $1 and r.status <> 'ended' and last.status <> 'confirmed'
     group by 1, 2, 3
     order by runs desc, model, error`,
    ['batchId' in of ? of.batchId : of.runId],
  );
  return rows.map((row) => ({ ...row, at: isoTime(row.at), nextTryAt: isoTimeOrNull(row.nextTryAt) }));
}
