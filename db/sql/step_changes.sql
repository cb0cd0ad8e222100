-- What is not known to leave every file as it was changes something: of shell commands only readers, and programs run as they lie there, are known.
create function step_changes(action text, observation text) returns boolean language sql immutable as $$
  select case
    when action is null or action ~ '^\s*(exit_\w+|skip)?\s*$' then false
    when action ~ '^\s*(edit|insert)\M' then observation is null or edit_succeeded(observation)
    when action ~ '^\s*create\M' then observation is null or observation ~ '^\s*\[File: '
    when length(action) > 1000 then true
    else action !~ ('^\s*(' || known.one || ')(\s*(&&|;|\||\n)\s*(' || known.one || '))*\s*;?\s*$')
  end
  from (
    select '(?:ls|ll|la|l|cat|head|tail|pwd|cd|open|goto|scroll_up|scroll_down|search_dir|search_file|find_file|grep|wc|du|df|file|tree|which|nvidia-smi|free|nproc|date|whoami|sleep|echo|validate|submit|memory_read|literature_search)(?:[ \t]+[^;&|<>`$()\n]*)?'
      || '|(?:timeout[ \t]+\d+[ \t]+)?python3?(?:[ \t]+-u)?[ \t]+[A-Za-z0-9_./-]+\.py[ \t]*(?:2>&1[ \t]*)?' as one
  ) known
$$;

comment on function step_changes is 'Whether a step may have changed a file, by its command and what it printed; whatever is not known to leave files alone does.';
