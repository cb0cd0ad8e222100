import type { Statements } from '../statements.js';

/** The batch whose budget the runs of batch `own` spend. */
export const PAYER = 'coalesce(own.parent_batch, own.batch_id)';

/** They end as `not_sent`; a worker about to send one finds no reservation. */
export async function releaseUnsent(run: Statements, runIds: readonly string[]): Promise<void> {
  await run('releaseUnsent', 'select release_unsent($1)', [runIds]);
}

/** Sent calls without answers end as `unconfirmed`, others as `not_sent`. Late answers count. */
export async function closeCalls(run: Statements, runIds: readonly string[]): Promise<void> {
  await run('closeCalls', 'select close_calls($1)', [runIds]);
}
