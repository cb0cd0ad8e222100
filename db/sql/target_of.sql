-- A number alone: versions of tasks that were stored before targets had sources.
create function target_of(spec jsonb) returns double precision language sql immutable strict as $$
  select case jsonb_typeof(spec -> 'target')
    when 'number' then (spec ->> 'target')::double precision
    when 'object' then (spec #>> '{target,value}')::double precision
  end
$$;

comment on function target_of is 'The score of a task version that is worth a gain of 1: its known optimum, or the best known; null: none is declared.';
