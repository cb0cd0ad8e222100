-- MLGym's editor prints the shell's refusal first, and says all the same that it updated the file.
create function edit_succeeded(observation text) returns boolean language sql immutable as $$
  select observation ~ '(^|\n)(File updated\.|The file has been changed\.)'
    and observation !~ '^[^\n]*: (Permission denied|Read-only file system|Operation not permitted|No space left on device)\s*\n'
$$;

comment on function edit_succeeded is 'Whether what an edit printed says that the file was changed.';
