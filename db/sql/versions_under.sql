create function versions_under(asked text) returns table (content_hash text) language sql stable as $$
  select v.content_hash
  from (
    select
      o.content_hash, o.spec ->> 'profile' as profile,
      bool_or(o.spec ->> 'profile' = asked or o.spec -> 'profiles' ? asked) over (partition by o.task_id, o.contract) as has_it
    from task_versions o
  ) v
  where case when v.has_it then v.profile = asked else v.profile is null end
$$;

comment on function versions_under is 'Task versions that a leaderboard of this profile compares: those under it and, of tasks that do not have it at their contract, those without a profile.';
