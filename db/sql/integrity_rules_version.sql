create function integrity_rules_version() returns integer language sql immutable as $$ select 8 $$;

comment on function integrity_rules_version is 'Grows with each change of the rules.';
