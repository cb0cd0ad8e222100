ALTER TABLE "batches" RENAME COLUMN "nodes_of" TO "parent_batch";
--> statement-breakpoint
ALTER TABLE "batches" RENAME CONSTRAINT "batches_nodes_of_batches_batch_id_fk" TO "batches_parent_batch_batches_batch_id_fk";
--> statement-breakpoint
ALTER INDEX "batches_nodes_of" RENAME TO "batches_parent_batch";
--> statement-breakpoint
ALTER TABLE "comparison_sets" RENAME TO "saved_comparisons";
--> statement-breakpoint
ALTER TABLE "saved_comparisons" RENAME COLUMN "row_order" TO "order_by";
--> statement-breakpoint
ALTER TABLE "saved_comparisons" RENAME CONSTRAINT "comparison_sets_axis" TO "saved_comparisons_axis";
--> statement-breakpoint
ALTER TABLE "saved_comparisons" RENAME CONSTRAINT "comparison_sets_contracts" TO "saved_comparisons_contracts";
--> statement-breakpoint
ALTER TABLE "saved_comparisons" RENAME CONSTRAINT "comparison_sets_baselines" TO "saved_comparisons_baselines";
--> statement-breakpoint
ALTER TABLE "saved_comparisons" RENAME CONSTRAINT "comparison_sets_pkey" TO "saved_comparisons_pkey";
--> statement-breakpoint
ALTER TABLE "episodes" RENAME COLUMN "door" TO "protocol";
--> statement-breakpoint
ALTER TABLE "episodes" RENAME COLUMN "wanted_at" TO "requested_at";
--> statement-breakpoint
ALTER TABLE "integrity_marks" RENAME TO "integrity_flags";
--> statement-breakpoint
ALTER TABLE "integrity_flags" RENAME CONSTRAINT "integrity_marks_run_id_runs_run_id_fk" TO "integrity_flags_run_id_runs_run_id_fk";
--> statement-breakpoint
ALTER TABLE "integrity_flags" RENAME CONSTRAINT "integrity_marks_pkey" TO "integrity_flags_pkey";
--> statement-breakpoint
ALTER TABLE "integrity_flags" RENAME CONSTRAINT "integrity_marks_rule" TO "integrity_flags_rule";
--> statement-breakpoint
ALTER TABLE "rollouts" RENAME COLUMN "number" TO "end_sequence";
--> statement-breakpoint
ALTER INDEX "rollouts_number_unique" RENAME TO "rollouts_end_sequence_unique";
--> statement-breakpoint
ALTER INDEX "runs_unmarked" RENAME TO "runs_unflagged";
--> statement-breakpoint
ALTER TABLE "search_nodes" RENAME TO "tree_nodes";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME COLUMN "mate" TO "second_parent";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_tree_run_id_search_trees_run_id_fk" TO "tree_nodes_tree_run_id_trees_run_id_fk";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_run_id_runs_run_id_fk" TO "tree_nodes_run_id_runs_run_id_fk";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_pkey" TO "tree_nodes_pkey";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_run_unique" TO "tree_nodes_run_unique";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_operator" TO "tree_nodes_operator";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_status" TO "tree_nodes_status";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_settled" TO "tree_nodes_settled";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_value" TO "tree_nodes_value";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_order" TO "tree_nodes_order";
--> statement-breakpoint
ALTER TABLE "tree_nodes" RENAME CONSTRAINT "search_nodes_amounts" TO "tree_nodes_amounts";
--> statement-breakpoint
ALTER TABLE "search_trees" RENAME TO "trees";
--> statement-breakpoint
ALTER TABLE "trees" RENAME COLUMN "chosen" TO "selected_node";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_run_id_runs_run_id_fk" TO "trees_run_id_runs_run_id_fk";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_batch_id_batches_batch_id_fk" TO "trees_batch_id_batches_batch_id_fk";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_batch_unique" TO "trees_batch_unique";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_limits" TO "trees_limits";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_stopped" TO "trees_stopped";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_amounts" TO "trees_amounts";
--> statement-breakpoint
ALTER TABLE "trees" RENAME CONSTRAINT "search_trees_pkey" TO "trees_pkey";
--> statement-breakpoint
ALTER TABLE "warm_wishes" RENAME TO "warm_requests";
--> statement-breakpoint
ALTER TABLE "warm_requests" RENAME COLUMN "wanted_at" TO "requested_at";
--> statement-breakpoint
ALTER TABLE "warm_requests" RENAME CONSTRAINT "warm_wishes_run_id_runs_run_id_fk" TO "warm_requests_run_id_runs_run_id_fk";
--> statement-breakpoint
ALTER TABLE "warm_requests" RENAME CONSTRAINT "warm_wishes_pkey" TO "warm_requests_pkey";
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "project" text DEFAULT 'default' NOT NULL;
--> statement-breakpoint
ALTER TABLE "batches" DROP CONSTRAINT "batches_name_unique";
--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_project_name_unique" UNIQUE("project","name");
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind";
--> statement-breakpoint
update notifications set kind = 'budget_exhausted' where kind = 'budget';
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind" CHECK (kind in ('ended', 'stalled', 'budget_exhausted', 'paused'));
--> statement-breakpoint
-- By hand: values that have other names now.
update saved_comparisons set order_by = 'win-rate' where order_by = 'improvement';
--> statement-breakpoint
update events e set kind = n.new_kind from (values
  ('budget_spent', 'budget_exhausted'),
  ('disk_short', 'disk_low'),
  ('forced_fallback', 'earlier_submission_used'),
  ('forked', 'run_forked'),
  ('gpus_known', 'gpu_driver_recovered'),
  ('gpus_unknown', 'gpu_driver_failed'),
  ('handed_on', 'run_handed_over'),
  ('host_admits', 'host_resumed'),
  ('host_leaves', 'host_leaving'),
  ('limit_learned', 'rate_limit_learned'),
  ('program_limit', 'program_limit_reached'),
  ('reaped', 'sandbox_reaped'),
  ('rerun_differs', 'rerun_diverged'),
  ('service_ended', 'service_failed'),
  ('store_replaced', 'temporal_store_replaced')
) n (old_kind, new_kind) where e.kind = n.old_kind;
