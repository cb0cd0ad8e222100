ALTER TABLE "saved_comparisons" ADD COLUMN "options" jsonb;
--> statement-breakpoint
-- By hand: what the columns held.
update saved_comparisons s set options =
  jsonb_build_object(
    'models', s.models, 'tasks', s.tasks, 'axis', s.axis, 'mode', s.mode, 'metric', s.metric,
    'include', array_remove(array[
      case when s.include_suspect then 'suspect' end, case when s.include_scripted then 'scripted' end,
      case when s.include_local then 'local' end, case when s.include_imported then 'imported' end
    ], null),
    'sample', s.sample, 'profile', s.profile,
    'contracts', (select coalesce(jsonb_object_agg(t.task, t.contract), '{}') from unnest(s.tasks, s.contracts) t (task, contract)),
    'baselines', (select coalesce(jsonb_object_agg(t.task, t.value), '{}') from unnest(s.tasks, s.baselines) t (task, value))
  )
  || jsonb_strip_nulls(jsonb_build_object('k', s.k, 'batchId', s.batch_id))
  || case when s.standard_errors is null then '{}' else jsonb_build_object('standardErrors', (
    select jsonb_object_agg(t.task, t.value) from unnest(s.tasks, s.standard_errors) t (task, value))) end
  || case when s.targets is null then '{}' else jsonb_build_object('targets', (
    select jsonb_object_agg(t.task, t.value) from unnest(s.tasks, s.targets) t (task, value))) end;
--> statement-breakpoint
ALTER TABLE "saved_comparisons" ALTER COLUMN "options" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "saved_comparisons"
  DROP COLUMN "models",
  DROP COLUMN "tasks",
  DROP COLUMN "contracts",
  DROP COLUMN "baselines",
  DROP COLUMN "standard_errors",
  DROP COLUMN "targets",
  DROP COLUMN "k",
  DROP COLUMN "axis",
  DROP COLUMN "mode",
  DROP COLUMN "metric",
  DROP COLUMN "order_by",
  DROP COLUMN "include_suspect",
  DROP COLUMN "include_local",
  DROP COLUMN "include_imported",
  DROP COLUMN "include_scripted",
  DROP COLUMN "sample",
  DROP COLUMN "profile",
  DROP COLUMN "batch_id";
