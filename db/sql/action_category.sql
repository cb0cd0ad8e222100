-- MLGym's groups: the first whose word begins the text. Asked of every step of a run at once, so it is one expression, which PostgreSQL
-- inlines, without a regular expression; the first four letters say which word it can be.
create function action_category(action text) returns text language sql immutable as $$
  select case left(ltrim(action, E' \t\n\r\f\x0b'), 4)
    when 'crea' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'create' then 'Edit' else 'Bash' end
    when 'edit' then 'Edit'
    when 'inse' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'insert' then 'Edit' else 'Bash' end
    when 'open' then 'View'
    when 'goto' then 'View'
    when 'scro' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ any ('{scroll_up,scroll_down}') then 'View' else 'Bash' end
    when 'vali' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'validate' then 'Validate' else 'Bash' end
    when 'subm' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'submit' then 'Submit' else 'Bash' end
    when 'sear' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ any ('{search_dir,search_file}') then 'Search' else 'Bash' end
    when 'find' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'find_file' then 'Search' else 'Bash' end
    when 'torc' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'torchrun' then 'Python' else 'Bash' end
    when 'pyth' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'python' then 'Python' else 'Bash' end
    when 'acce' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'accelerate' then 'Python' else 'Bash' end
    when 'deep' then case when ltrim(action, E' \t\n\r\f\x0b') ^@ 'deepspeed' then 'Python' else 'Bash' end
    else 'Bash'
  end
$$;

comment on function action_category is 'Category of an action as MLGym counts it, by how its text begins: Edit, View, Validate, Submit, Search, Python, Bash.';
