/** Runs in a row that ended by the cause $5, with those of this statement. */
const FAILING = `case when b.failing_cause = $5::text then b.failing_runs + o.runs else o.runs end`;

/**
 * The circuit breaker: a batch pauses itself after too many runs in a row that ended by one fault
 * of the infrastructure. Part of the statement that ends runs ($1), which has `of_batch` with their
 * number and `described` with what happened. It counts under the lock of the batch's row.
 */
export const TRIP_BREAKER = `
    update batches b set failing_runs = case when $5::text is null then 0 else ${FAILING} end, failing_cause = $5::text,
      (paused_at, pause_reason) = (
        select case when trips then now() else b.paused_at end,
          case when trips then left(concat_ws(': ', ${FAILING} || case ${FAILING} when 1 then ' run' else ' runs' end || ' in a row ended by a fault of the ' || $5::text, o.detail), 700)
            else b.pause_reason end
        from (
          select $5::text is not null and ${FAILING} >= b.breaker and b.paused_at is null and b.status in ('queued', 'running')
            and (b.allocation is not null or exists (
              select from runs q where q.batch_id = b.batch_id and q.status = 'queued' and q.run_id <> all ($1)
            )) as trips
        ) breaker
      )
    from (select * from of_batch join described using (batch_id)) o
    where b.batch_id = o.batch_id and b.breaker is not null and ($5::text is not null or b.failing_runs > 0)
    returning b.batch_id, b.paused_at, b.pause_reason`;
