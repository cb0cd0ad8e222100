CREATE TABLE "price_lists" (
	"list" text NOT NULL,
	"model" text NOT NULL,
	"input_usd" numeric(20, 10) NOT NULL,
	"output_usd" numeric(20, 10) NOT NULL,
	"cached_input_usd" numeric(20, 10),
	"valid_from" date DEFAULT '-infinity' NOT NULL,
	"valid_until" date,
	CONSTRAINT "price_lists_pkey" PRIMARY KEY("list","model","valid_from"),
	CONSTRAINT "price_lists_prices" CHECK (input_usd >= 0 and output_usd >= 0 and cached_input_usd >= 0),
	CONSTRAINT "price_lists_days" CHECK (valid_until > valid_from)
);

--> statement-breakpoint
-- Why runs ended, in MLGym's words and labels; what their steps did; what they cost by a list of prices. docs/outcomes.md gives the rules.
-- The same as mlgymExitStatus in domain/outcomes.ts; empty: MLGym knows no such end.
create function mlgym_exit_status(end_reason text, final_evaluation text) returns text language sql immutable as $$
  select case
    when end_reason = 'forfeit' then 'exit_forfeit'
    when e.cause is null or final_evaluation = 'not_run' then ''
    when final_evaluation = 'ok' then case e.cause when 'submit' then 'submitted' else 'autosubmission (' || e.cause || ')' end
    when final_evaluation = 'no_artefact' then 'submission_not_found (' || e.cause || ')'
    else 'evaluation_format_error (' || e.cause || ')'
  end
  from (
    select case
      when end_reason in ('submit', 'max_steps', 'wall_time') then end_reason
      when end_reason in ('context', 'cost', 'format', 'api') then 'exit_' || end_reason
      when end_reason in ('tokens', 'budget') then 'exit_cost'
      when end_reason = 'runtime' then 'exit_error'
    end as cause
  ) e
$$;
--> statement-breakpoint
create function exit_labels(status text) returns text[] language sql immutable as $$
  select case
    when status is null then '{Unknown}'::text[]
    when status = 'submitted' then '{Success}'
    when status = 'early_exit' then '{Runtime}'
    when status = 'unknown_error (validate)' then '{Evaluation}'
    when status like 'unknown\_error (open %' then '{Permission}'
    when status like 'unknown\_error (%' then '{Runtime}'
    else coalesce(
      (
        select case
          when p.how = 'autosubmission' then case p.cause
            when 'max_steps' then '{Max Steps}'::text[]
            when 'exit_context' then '{Context}'
            when 'exit_cost' then '{Cost}'
            when 'exit_format' then '{Format}'
            when 'exit_api' then '{API}'
          end
          when p.cause = 'exit_context' then '{Evaluation,Context}'
          when p.cause = 'exit_cost' then '{Evaluation,Cost}'
          when p.cause = 'exit_format' then '{Evaluation,Format}'
          when p.cause = 'max_steps' then '{Evaluation}'
          when p.cause = 'submit' and p.how = 'submission_not_found' then '{Evaluation}'
          when p.cause = 'submit' then '{Evaluation,Submit}'
        end
        from (
          select found.part[1] as how, found.part[2] as cause
          from regexp_match(
            status, '^(autosubmission|submission_not_found|evaluation_format_error) \((.*)\)$'
          ) as found (part)
        ) p
      ),
      '{Other}'
    )
  end
$$;
--> statement-breakpoint
create view run_exits as
  select
    r.run_id, r.batch_id, r.model_name as model, r.model_kind, r.task_id as task, r.attempt,
    r.end_reason, r.final_evaluation, s.status, l.labels,
    case
      when not exists (
        select from evaluations e
        where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
      ) then 'failed'
      when s.status is null then null
      when l.labels && '{Success,Max Steps}' then 'complete'
      else 'incomplete'
    end as outcome
  from runs r
  cross join lateral (
    select coalesce(
      r.exit_status,
      nullif(mlgym_exit_status(r.end_reason, r.final_evaluation), ''),
      nullif(r.end_reason, 'unknown')
    ) as status
  ) s
  cross join lateral (select exit_labels(s.status) as labels) l
  where r.status = 'ended';
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
create view step_actions as
  select
    s.run_id, r.batch_id, r.model_name as model, r.model_kind, r.task_id as task, s.step,
    action_category(s.action) as category, action_category_strict(s.action) as strict_category
  from steps s join runs r on r.run_id = s.run_id;
--> statement-breakpoint
create function run_costs(price_list text) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  task text,
  input_tokens bigint,
  output_tokens bigint,
  recorded_usd numeric,
  list_usd numeric
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.task_id, r.input_tokens, r.output_tokens,
    case r.origin when 'bench' then r.cost_usd else r.recorded_cost_usd end,
    (
      (r.input_tokens - r.cached_tokens) * p.input_usd + r.cached_tokens * coalesce(p.cached_input_usd, p.input_usd)
      + r.output_tokens * p.output_usd
    ) / 1000000
  from runs r
  left join lateral (
    select l.* from price_lists l
    where l.list = price_list and l.model = r.model_name
      and l.valid_from <= r.created_at::date and (l.valid_until is null or r.created_at::date < l.valid_until)
    order by l.valid_from desc limit 1
  ) p on true
  -- Of these nobody wrote down the tokens.
  where not coalesce(r.end_reason = 'unknown' and r.exit_status is null, false)
$$;
--> statement-breakpoint
create function model_costs(price_list text, for_batch text default null) returns table (
  model text,
  model_kind text,
  runs bigint,
  mean_list_usd numeric,
  mean_recorded_usd numeric,
  mean_input_tokens numeric,
  mean_output_tokens numeric,
  list_usd numeric,
  recorded_usd numeric
) language sql stable as $$
  select
    c.model, c.model_kind, count(*), avg(c.list_usd), avg(c.recorded_usd), avg(c.input_tokens), avg(c.output_tokens),
    sum(c.list_usd), sum(c.recorded_usd)
  from run_costs(price_list) c
  where for_batch is null or c.batch_id = for_batch
  group by c.model, c.model_kind
$$;
--> statement-breakpoint
-- US dollars per million tokens, as MLGym's analysis has them: one rate per direction, whatever the day.
insert into price_lists (list, model, input_usd, output_usd) values
  ('mlgym', 'gpt4o2', 2.50, 10.00),
  ('mlgym', 'gpt-o1', 15.00, 60.00),
  ('mlgym', 'gpt-o3-mini', 1.10, 4.40),
  ('mlgym', 'claude-35-sonnet-new', 3.00, 15.00),
  ('mlgym', 'claude-37-sonnet', 3.00, 15.00),
  ('mlgym', 'deepseek-r1', 0.55, 2.19),
  ('mlgym', 'gemini-15-pro', 1.25, 5.00),
  ('mlgym', 'gemini-20-flash-thinking', 0.10, 0.40),
  ('mlgym', 'gemini-20-pro', 1.25, 5.00),
  ('mlgym', 'gemini-25-pro', 1.25, 10.00),
  ('mlgym', 'llama3-405b-tools', 3.50, 3.50),
  ('mlgym', 'llama4-17b-16', 0.18, 0.59),
  ('mlgym', 'llama4-17b-128', 0.27, 0.85);
--> statement-breakpoint
comment on function mlgym_exit_status is 'The exit status that MLGym would have written; empty: it knows no such end.';
--> statement-breakpoint
comment on function exit_labels is 'One or two labels of an MLGym exit status: Success, Max Steps, Context, Cost, Format, API, Evaluation, Submit, Permission, Runtime; Other for any other text, Unknown for null.';
--> statement-breakpoint
comment on view run_exits is 'How ended runs ended: status (in MLGym''s words where it has any), labels, and outcome: failed (no score), incomplete, complete; null: nobody wrote down how.';
--> statement-breakpoint
comment on function action_category is 'What an action does, as MLGym counts it: Edit, View, Validate, Submit, Search, Python, Bash, by how its text begins.';
--> statement-breakpoint
comment on function action_category_strict is 'What an action does, by its first whole word past cd … && and NAME=value; End: not an action but an end.';
--> statement-breakpoint
comment on view step_actions is 'Each step with the category of its action, as MLGym counts it and strict.';
--> statement-breakpoint
comment on table price_lists is 'Named lists of prices, US dollars per million tokens, for run_costs and model_costs. mlgym: those of MLGym-Bench''s tables.';
--> statement-breakpoint
comment on function run_costs is 'Cost of each run by a price list (null: no price known) beside the recorded one. Without runs whose tokens nobody wrote down.';
--> statement-breakpoint
comment on function model_costs is 'run_costs per model: means over its runs of all tasks, and sums. A sum or mean of list prices leaves out runs without one.';
--> statement-breakpoint
comment on function score_runs is 'What every run scored: the one definition that leaderboards use. include_suspect: count suspect scores too.';
--> statement-breakpoint
comment on view run_scores is 'score_runs without suspect scores: best and last attempt of each run, and whether it counts.';
--> statement-breakpoint
comment on function profile_axis is 'T: length of the axis of performance profiles, in log10 units of the ratio to the best.';
--> statement-breakpoint
comment on function performance_profiles is 'The step functions at evenly spaced points: share of tasks with log10(ratio) <= tau.';
--> statement-breakpoint
comment on function average_ranks is 'Mean position of each method over the tasks, and its Borda points.';
--> statement-breakpoint
comment on table human_turns is 'What a person who plays is asked, and what they answered.';
--> statement-breakpoint
comment on table memories is 'What agents wrote into their task''s memory, for later runs that may read it.';
--> statement-breakpoint
comment on table model_configs is 'Model files by content hash, as they were at submission: prices and limits of runs.';
--> statement-breakpoint
comment on table recordings is 'Recorded runs by content hash, which replay: models play back.';
