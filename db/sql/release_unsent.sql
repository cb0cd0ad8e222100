create function release_unsent(run_ids text[]) returns void language sql as $$
  with released as (
    update model_calls set status = 'failed', error = 'not_sent', ended_at = now()
    where run_id = any (run_ids) and status = 'reserved' and sent_at is null
    returning run_id, reserved_usd
  ), of_batch as (
    -- Runs of a tree spend the budget of its batch.
    select coalesce(own.parent_batch, own.batch_id) as batch_id, sum(released.reserved_usd) as amount
    from released join runs r on r.run_id = released.run_id join batches own on own.batch_id = r.batch_id
    group by 1
  )
  update batches b set charged_usd = b.charged_usd - of_batch.amount
  from of_batch where b.batch_id = of_batch.batch_id and b.budget_usd is not null
$$;

comment on function release_unsent is 'Ends calls of these runs that were never sent as not_sent, and gives their reservations back.';
