-- MLGym's groups: the first whose word begins the text.
create function action_category(action text) returns text language sql immutable as $$
  select case
    when a.text ~ '^(create|edit|insert)' then 'Edit'
    when a.text ~ '^(open|goto|scroll_up|scroll_down)' then 'View'
    when a.text ~ '^validate' then 'Validate'
    when a.text ~ '^submit' then 'Submit'
    when a.text ~ '^(search_dir|search_file|find_file)' then 'Search'
    when a.text ~ '^(torchrun|python|accelerate|deepspeed)' then 'Python'
    else 'Bash'
  end
  from (select ltrim(coalesce(action, ''), E' \t\n\r\f\x0b') as text) a
$$;

comment on function action_category is 'Category of an action as MLGym counts it, by how its text begins: Edit, View, Validate, Submit, Search, Python, Bash.';
