create function close_calls(run_ids text[]) returns void language plpgsql as $$
begin
  perform release_unsent(run_ids);
  update model_calls set status = 'unconfirmed', error = 'lost', ended_at = now()
  where run_id = any (run_ids) and status = 'reserved' and sent_at is not null;
end
$$;

comment on function close_calls is 'Ends open calls of these runs: as not_sent, or as unconfirmed if they were sent. A late answer still counts.';
