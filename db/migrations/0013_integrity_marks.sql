CREATE TABLE "integrity_marks" (
	"run_id" text NOT NULL,
	"rule" text NOT NULL,
	"step" integer,
	"detail" text NOT NULL,
	"version" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrity_marks_pkey" PRIMARY KEY("run_id","rule"),
	CONSTRAINT "integrity_marks_rule" CHECK (rule in ('beyond_bounds', 'protected_write', 'self_reported', 'no_model_call'))
);
--> statement-breakpoint
CREATE TABLE "task_integrity" (
	"task_id" text NOT NULL,
	"contract" integer NOT NULL,
	"protected_files" text[] NOT NULL,
	"self_reported" boolean DEFAULT false NOT NULL,
	CONSTRAINT "task_integrity_pkey" PRIMARY KEY("task_id","contract")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "integrity_version" integer;--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD CONSTRAINT "integrity_marks_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_unmarked" ON "runs" USING btree ("run_id") WHERE status = 'ended' and integrity_version is null;
--> statement-breakpoint
-- Marks on runs whose scores may not be what they seem, by rules; docs/integrity.md describes each rule.
-- A migration that changes a rule raises this number and ends with `select mark_integrity()`.
create function integrity_rules_version() returns integer language sql immutable as $$ select 1 $$;
--> statement-breakpoint
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
--> statement-breakpoint
-- What the rules find in ended runs; null: in all of them.
create function find_integrity_marks(ids text[] default null) returns table (
  run_id text,
  rule text,
  step integer,
  detail text
) language sql stable as $$
  with ended as (
    select r.*, v.bound_min, v.bound_max, t.protected_files, coalesce(t.self_reported, false) as self_reported
    from runs r
    join task_versions v on v.content_hash = r.task_hash
    left join task_integrity t on t.task_id = r.task_id and t.contract = r.contract
    where r.status = 'ended' and r.run_id = any (coalesce(ids, array(select e.run_id from runs e where e.status = 'ended')))
  ),
  protected as (
    select r.run_id, f.file from ended r cross join lateral unnest(r.protected_files) f (file)
  ),
  writes as (
    select p.run_id, p.file, s.step
    from protected p join steps s on s.run_id = p.run_id
    where s.observation is not null and case
      when s.action ~ '^\s*(edit|insert|create)\M' then
        right(s.tool_state ->> 'openFile', length(p.file) + 11) = '/workspace/' || p.file
        and (
          s.observation ~ '(^|\n)(File updated\.|The file has been changed\.)'
          or s.action ~ '^\s*create\M' and s.observation like '[File: %'
        )
      when strpos(s.action, regexp_replace(p.file, '^.*/', '')) > 0 then
        coalesce(s.exit_code, 0) = 0 and not s.lost
        and s.observation !~ 'Permission denied|Read-only file system|Operation not permitted|cannot (stat|create|move)|No such file'
        and exists (
          select from shell_writes(
            s.action,
            coalesce(
              (select b.working_dir from steps b where b.run_id = s.run_id and b.step = s.step - 1), '/home/agent/workspace'
            )
          ) w (path)
          where right(w.path, length(p.file) + 11) = '/workspace/' || p.file
        )
    end
  )
  select
    e.run_id, 'beyond_bounds', min(e.step) filter (where j.beyond),
    format('%s of %s scores outside of what is possible, the first %s', count(*) filter (where j.beyond), count(*),
      (array_agg(e.primary_score order by e.number) filter (where j.beyond))[1])
  from ended r join evaluations e on e.run_id = r.run_id
  cross join lateral (
    select e.suspect or coalesce(e.primary_score < r.bound_min or e.primary_score > r.bound_max, false) as beyond
  ) j
  where e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test'
  group by e.run_id having bool_or(j.beyond)
  union all
  select
    w.run_id, 'protected_write', min(w.step),
    format('wrote to %s (%s)', string_agg(distinct w.file, ', '),
      case count(distinct w.step) when 1 then 'in one step' else format('in %s steps', count(distinct w.step)) end)
  from writes w group by w.run_id
  union all
  select r.run_id, 'self_reported', min(e.step), 'the score is a value that the agent wrote'
  from ended r join evaluations e on e.run_id = r.run_id
  where r.self_reported and e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test' and e.primary_score is not null
  group by r.run_id
  union all
  select r.run_id, 'no_model_call', null, 'no call to the model was answered: the score is the starter''s'
  from ended r
  where r.model_kind = 'real' and r.forked_from is null and r.input_tokens = 0 and r.output_tokens = 0
    and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error')
    -- Of runs without a trajectory nobody wrote down the tokens.
    and (r.end_reason <> 'unknown' or r.exit_status is not null)
    and not exists (select from model_calls c where c.run_id = r.run_id and c.status = 'confirmed')
$$;
--> statement-breakpoint
-- Bring the marks of ended runs up to the rules; null: of all. Says how many there are.
create function mark_integrity(ids text[] default null) returns bigint language sql volatile as $$
  with found as materialized (select * from find_integrity_marks(ids)),
  outdated as (
    delete from integrity_marks m
    where m.run_id = any (coalesce(ids, array(select m.run_id from integrity_marks m)))
      and not exists (select from found f where f.run_id = m.run_id and f.rule = m.rule)
  ),
  marked as (
    insert into integrity_marks (run_id, rule, step, detail, version)
    select f.run_id, f.rule, f.step, f.detail, integrity_rules_version() from found f
    on conflict (run_id, rule) do update
      set step = excluded.step, detail = excluded.detail, version = excluded.version
    returning 1
  ),
  looked_at as (
    update runs r set integrity_version = integrity_rules_version()
    where r.status = 'ended' and r.run_id = any (coalesce(ids, array(select e.run_id from runs e where e.status = 'ended')))
  )
  select count(*) from marked
$$;
--> statement-breakpoint
create function mark_ended_run() returns trigger language plpgsql as $$
begin
  -- The first of a transaction looks at all that the transaction ended.
  if exists (select from runs r where r.run_id = new.run_id and r.integrity_version is null) then
    perform mark_integrity(
      array(select r.run_id from runs r where r.status = 'ended' and r.integrity_version is null)
    );
  end if;
  return null;
end
$$;
--> statement-breakpoint
-- Whoever ends a run, or imports one: at the commit, when its steps and evaluations are there.
create constraint trigger runs_marked after insert or update of status on runs
  deferrable initially deferred for each row when (new.status = 'ended') execute function mark_ended_run();
--> statement-breakpoint
-- MLGym's evaluators lie in the agent's workspace, and some import an opponent or a solver from there; COCO's averages a column that the agent wrote.
insert into task_integrity (task_id, contract, protected_files, self_reported) values
  ('regressionKaggleHousePrice', 0, '{evaluate.py}', false),
  ('3SATTime', 0, '{evaluate.py,solver.py}', false),
  ('imageClassificationCifar10', 0, '{evaluate.py}', false),
  ('imageClassificationFMnist', 0, '{evaluate.py}', false),
  ('imageCaptioningCOCO', 0, '{evaluate.py}', true),
  ('languageModelingFineWeb', 0, '{evaluate.py}', false),
  ('naturalLanguageInferenceMNLI', 0, '{evaluate.py}', false),
  ('battleOfSexes', 0, '{evaluate.py,target.py}', false),
  ('prisonersDilemma', 0, '{evaluate.py,target.py}', false),
  ('blotto', 0, '{evaluate.py,target.py}', false),
  ('rlBreakoutMinAtar', 0, '{evaluate.py,src/evaluate.py}', false),
  ('rlMetaMazeMisc', 0, '{evaluate.py,src/evaluate.py}', false),
  ('rlMountainCarContinuous', 0, '{evaluate.py,src/evaluate.py}', false);
--> statement-breakpoint
select mark_integrity();
--> statement-breakpoint
comment on table integrity_marks is 'Rules that fired on ended runs (docs/integrity.md): beyond_bounds, protected_write, self_reported, no_model_call. Kept up by a trigger.';
--> statement-breakpoint
comment on column runs.integrity_version is 'Version of the rules that looked for integrity marks; null: none did yet.';
--> statement-breakpoint
comment on column integrity_marks.step is 'Where it shows first; null: in no single step.';
--> statement-breakpoint
comment on column integrity_marks.version is 'integrity_rules_version() of the rules that found it.';
--> statement-breakpoint
comment on table task_integrity is 'Imported tasks whose evaluator lay in the agent''s reach: its protected files, and whether the agent writes the metric itself.';
--> statement-breakpoint
comment on function integrity_rules_version is 'Grows with each change of the rules.';
--> statement-breakpoint
comment on function find_integrity_marks is 'What the rules find in these ended runs (null: in all), without writing it down.';
--> statement-breakpoint
comment on function mark_integrity is 'Bring integrity_marks of these ended runs (null: of all) up to the rules; says how many there are.';
--> statement-breakpoint
comment on function shell_writes is 'Paths that the text of a shell command writes to, relative ones below the directory that it starts in.';
--> statement-breakpoint
comment on function mark_ended_run is 'Trigger: marks a run at the commit that ends it.';
--> statement-breakpoint
-- Each run once: its evaluations are looked at in one pass, whatever is asked for.
-- Suspect: an evaluation beyond the task's bounds, and each of a run that bears another mark.
create or replace function score_runs(include_suspect boolean default false) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  agent text,
  task text,
  task_hash text,
  contract integer,
  primary_metric text,
  direction text,
  attempt integer,
  ordinal integer,
  isolation text,
  status text,
  end_reason text,
  final_evaluation text,
  counted boolean,
  superseded boolean,
  best_attempt double precision,
  best_number integer,
  last_attempt double precision,
  last_number integer,
  final_score double precision,
  evaluations bigint,
  suspects bigint,
  steps integer,
  cost_usd numeric,
  input_tokens bigint,
  output_tokens bigint,
  created_at timestamp with time zone
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.agent_name, r.task_id, r.task_hash, r.contract,
    v.primary_metric, v.direction, r.attempt, r.ordinal,
    case
      when r.isolation = 'none' or tried.without_isolation then 'none'
      when r.isolation is null and r.backend = 'local' then 'none'
      else 'container'
    end,
    r.status, r.end_reason, r.final_evaluation,
    r.status = 'ended' and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('budget', 'cancelled', 'config_error', 'infra_error')
      and exists (select from runs successor where successor.replaces = r.run_id),
    case v.direction when 'maximize' then - tried.best[1] else tried.best[1] end, tried.best[2]::integer,
    tried.last[2], tried.last[1]::integer, r.final_score,
    tried.amount, tried.suspects,
    r.step, r.cost_usd, r.input_tokens, r.output_tokens, r.created_at
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  cross join lateral (
    select
      count(*) as amount,
      count(*) filter (where j.suspect) as suspects,
      coalesce(bool_or(e.isolation = 'none'), false) as without_isolation,
      -- The best value, and of equal ones the earliest; the last value. Arrays compare by their first difference.
      min(array[case v.direction when 'maximize' then - e.primary_score else e.primary_score end, e.number])
        filter (where e.status = 'ok' and e.primary_score is not null and (include_suspect or not j.suspect)) as best,
      max(array[e.number, e.primary_score])
        filter (where e.status = 'ok' and (include_suspect or not j.suspect)) as last
    from evaluations e
    cross join lateral (
      select e.suspect or coalesce(e.primary_score < v.bound_min or e.primary_score > v.bound_max, false)
        or e.status = 'ok' and exists (
          select from integrity_marks m where m.run_id = r.run_id and m.rule <> 'beyond_bounds'
        ) as suspect
    ) j
    where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status <> 'pending'
  ) tried
$$;
