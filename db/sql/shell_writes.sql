-- Paths that a shell command writes to, as far as its text shows: relative ones below the directory that it starts in.
-- Texts of here-documents and what programs do by themselves are not looked at; after a cd only absolute paths are known.
create function shell_writes(command text, directory text) returns setof text language sql immutable as $$
  with stripped as (
    -- The first quantifier, -??, makes the whole expression end at the nearest closing word.
    select regexp_replace(
      command, E'<<-??\\s*[''"\\\\]?(\\w+)\\M[^\\n]*\\n(?:.*\\n)??\\s*\\1(?=\\n|$)', E'\n', 'g'
    ) as text
  ),
  tokens as (
    select t.position, t.part[1] as token
    from stripped, regexp_matches(
      stripped.text,
      $re$(\d?(?:>>|>\||>&|>|<<<|<<|<&|<)|&>>|&>|&&|\|\||[;&|()\n]|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&|<>()])+)$re$,
      'g'
    ) with ordinality as t (part, position)
  ),
  placed as (
    select
      t.position, t.token ~ '^(\d?[<>]|&|[;|()\n])' as is_operator,
      translate(t.token, '''"', '') as word,
      lag(t.token) over (order by t.position) ~ '^(\d?(>>|>\||>)|&>>|&>)$' as is_target,
      lag(t.token) over (order by t.position) ~ '^\d?[<>]' as is_redirected,
      count(*) filter (where t.token ~ '^(&&?|\|\|?|[;()\n])$') over (order by t.position) as command
    from tokens t
  ),
  words as (
    select
      p.command, p.word, row_number() over (partition by p.command order by p.position) as place,
      count(*) over (partition by p.command) as amount
    from placed p
    where not p.is_operator and not coalesce(p.is_redirected or p.is_target, false)
      and (p.word !~ '^([A-Za-z_][A-Za-z0-9_]*=|sudo$|env$|command$|then$|do$|else$|\{$|!$)' or p.word like 'of=%')
  ),
  commands as (
    select
      w.command, (array_agg(w.word order by w.place))[1] as program,
      (array_agg(w.word order by w.place))[2:] as options,
      (array_agg(w.word order by w.place) filter (where w.place > 1 and w.word !~ '^-')) as arguments
    from words w group by w.command
  ),
  written as (
    select p.word as path from placed p where p.is_target and not p.is_operator
    union all
    select argument from commands c, unnest(c.arguments) argument
    where c.program in ('tee', 'truncate')
      or c.program in ('sed', 'perl') and exists (select from unnest(c.options) o where o ~ '^(-[a-zA-Z]*i|--in-place)')
    union all
    select case
      when target.path ~ '(^|/)\.?$' then rtrim(regexp_replace(target.path, '\.$', ''), '/')
        || case when target.path ~ '^\.?/?$' then '' else '/' end || regexp_replace(source, '^.*/', '')
      else target.path
    end
    from commands c
    cross join lateral (select c.arguments[cardinality(c.arguments)] as path) target
    cross join unnest(c.arguments[: cardinality(c.arguments) - 1]) source
    where c.program in ('cp', 'mv', 'install', 'ln')
    union all
    select substr(option, 4) from commands c, unnest(c.options) option where c.program = 'dd' and option like 'of=%'
  )
  select distinct case when w.path like '/%' then w.path else directory || '/' || regexp_replace(w.path, '^(\./)+', '') end
  from written w
  where w.path <> ''
    and (w.path like '/%' or not exists (select from commands c where c.program in ('cd', 'pushd', 'popd')))
$$;

comment on function shell_writes is 'Paths that the text of a shell command writes to, relative ones below the directory that it starts in.';
