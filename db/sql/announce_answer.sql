-- A worker that waits for an answer listens, so that the run's workflow needs no signal.
create function announce_answer() returns trigger language plpgsql as $$
begin
  perform pg_notify('bench_answers', new.run_id);
  return null;
end
$$;

comment on function announce_answer is 'Trigger: notifies listeners of bench_answers that a turn for which a worker listens is answered.';

create trigger turns_answered after update of reply on turns for each row
  when (new.reply is not null and new.listened_until is not null) execute function announce_answer();
