create function exit_labels(status text) returns text[] language sql immutable as $$
  select case
    when status is null then '{Unknown}'::text[]
    when status = 'submitted' then '{Success}'
    when status = 'early_exit' then '{Runtime}'
    when status = 'unknown_error (validate)' then '{Evaluation}'
    when status like 'unknown\_error (open %' then '{Permission}'
    when status like 'unknown\_error (%' then '{Runtime}'
    else coalesce(
      (
        select case
          when p.how = 'autosubmission' then case p.cause
            when 'max_steps' then '{Max Steps}'::text[]
            when 'exit_context' then '{Context}'
            when 'exit_cost' then '{Cost}'
            when 'exit_format' then '{Format}'
            when 'exit_api' then '{API}'
          end
          when p.cause = 'exit_context' then '{Evaluation,Context}'
          when p.cause = 'exit_cost' then '{Evaluation,Cost}'
          when p.cause = 'exit_format' then '{Evaluation,Format}'
          when p.cause = 'max_steps' then '{Evaluation}'
          when p.cause = 'submit' and p.how = 'submission_not_found' then '{Evaluation}'
          when p.cause = 'submit' then '{Evaluation,Submit}'
        end
        from (
          select found.part[1] as how, found.part[2] as cause
          from regexp_match(
            status, '^(autosubmission|submission_not_found|evaluation_format_error) \((.*)\)$'
          ) as found (part)
        ) p
      ),
      '{Other}'
    )
  end
$$;

comment on function exit_labels is 'One or two labels of an MLGym exit status: Success, Max Steps, Context, Cost, Format, API, Evaluation, Submit, Permission, Runtime; Other for any other text, Unknown for null.';
