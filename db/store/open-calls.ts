import type { Statements } from '../statements.js';

/** Of whose budget the runs of a batch `own` spend. */
export const PAYER = 'coalesce(own.nodes_of, own.batch_id)';

const RELEASE_UNSENT = `
  with released as (
    update model_calls set status = 'failed', error = 'not_sent', ended_at = now()
    where run_id = any ($1) and status = 'reserved' and sent_at is null
    returning run_id, reserved_usd
  ), of_batch as (
    select ${PAYER} as batch_id, sum(released.reserved_usd) as amount
    from released join runs r on r.run_id = released.run_id join batches own on own.batch_id = r.batch_id
    group by 1
  )
  update batches b set charged_usd = b.charged_usd - of_batch.amount
  from of_batch where b.batch_id = of_batch.batch_id and b.budget_usd is not null`;

/** They end as `not_sent`. A worker that still holds one finds no reservation when it is about to send. */
export async function releaseUnsent(run: Statements, runIds: readonly string[]): Promise<void> {
  await run('releaseUnsent', RELEASE_UNSENT, [runIds]);
}

/** No run of these goes on: calls that were sent and not answered end as `unconfirmed`, the others as `not_sent`. A late answer still counts. */
export async function closeCalls(run: Statements, runIds: readonly string[]): Promise<void> {
  await releaseUnsent(run, runIds);
  await run(
    'closeCalls',
    `update model_calls set status = 'unconfirmed', error = 'lost', ended_at = now()
     where run_id = any ($1) and status = 'reserved' and sent_at is not null`,
    [runIds],
  );
}
