-- By the first whole word, past `cd … &&` and NAME=value; ends that the harness wrote down as actions, and steps without one, are End.
create function action_category_strict(action text) returns text language sql immutable as $$
  select case
    when action is null then 'End'
    when a.word in ('create', 'edit', 'insert') then 'Edit'
    when a.word in ('open', 'goto', 'scroll_up', 'scroll_down') then 'View'
    when a.word = 'validate' then 'Validate'
    when a.word = 'submit' then 'Submit'
    when a.word in ('search_dir', 'search_file', 'find_file') then 'Search'
    when a.word in ('torchrun', 'python', 'python3', 'accelerate', 'deepspeed') then 'Python'
    when a.word in ('exit_format', 'exit_context', 'exit_cost', 'exit_api', 'exit_error', 'exit_forfeit', 'skip') then 'End'
    else 'Bash'
  end
  from (
    select substring(
      regexp_replace(
        action, $re$^\s*(?:cd\s[^&;|\n]*&&\s*|[A-Za-z_][A-Za-z0-9_]*=(?:"[^"]*"|'[^']*'|[^\s;&|"'])*\s+)*$re$, ''
      )
      from '^[^\s;&|<>()]+'
    ) as word
  ) a
$$;

comment on function action_category_strict is 'What an action does, by its first whole word past cd … && and NAME=value; End: not an action but an end.';
