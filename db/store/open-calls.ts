import type { Statements } from '../statements.js';

/** Of whose budget the runs of a batch `own` spend. */
export const PAYER = 'coalesce(own.parent_batch, own.batch_id)';

/** They end as `not_sent`. A worker that still has one finds no reservation when it is about to send. */
export async function releaseUnsent(run: Statements, runIds: readonly string[]): Promise<void> {
  await run('releaseUnsent', 'select release_unsent($1)', [runIds]);
}

/** No run of these continues: calls that were sent and not answered end as `unconfirmed`, the others as `not_sent`. A late answer still counts. */
export async function closeCalls(run: Statements, runIds: readonly string[]): Promise<void> {
  await run('closeCalls', 'select close_calls($1)', [runIds]);
}
