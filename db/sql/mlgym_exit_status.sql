-- Why a run ended, in MLGym's words; docs/reference/outcomes.md gives the rules.
-- The same as mlgymExitStatus in domain/run/outcomes.ts; empty: MLGym knows no such end.
create function mlgym_exit_status(end_reason text, final_evaluation text) returns text language sql immutable as $$
  select case
    when end_reason = 'forfeit' then 'exit_forfeit'
    when e.cause is null or final_evaluation = 'not_run' then ''
    when final_evaluation = 'ok' then case e.cause when 'submit' then 'submitted' else 'autosubmission (' || e.cause || ')' end
    when final_evaluation = 'no_artefact' then 'submission_not_found (' || e.cause || ')'
    else 'evaluation_format_error (' || e.cause || ')'
  end
  from (
    select case
      when end_reason in ('submit', 'max_steps', 'wall_time') then end_reason
      when end_reason = 'deadline' then 'wall_time'
      when end_reason in ('context', 'cost', 'format', 'api') then 'exit_' || end_reason
      when end_reason = 'provider_refused' then 'exit_api'
      when end_reason = 'refusal' then 'exit_format'
      when end_reason in ('tokens', 'budget') then 'exit_cost'
      when end_reason in ('runtime', 'exit') then 'exit_error'
    end as cause
  ) e
$$;

comment on function mlgym_exit_status is 'The exit status that MLGym would have written; empty: it knows no such end.';
