CREATE TABLE "imports" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"format" text NOT NULL,
	"source" text NOT NULL,
	"content_hash" text NOT NULL,
	"raw_exit_status" text,
	"model_stats" jsonb,
	"submission" text,
	"baseline" jsonb,
	"environment" text,
	"args" jsonb,
	"prompt" jsonb,
	"history_messages" integer,
	"last_action" text,
	"remarks" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imports_content_unique" UNIQUE("content_hash"),
	CONSTRAINT "imports_source_unique" UNIQUE("batch_id","source"),
	CONSTRAINT "imports_format" CHECK (format in ('mlgym', 'jsonl'))
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "origin" text DEFAULT 'bench' NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "origin" text DEFAULT 'bench' NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "recorded_cost_usd" numeric(20, 10);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "recorded_calls" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "exit_status" text;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_origin" CHECK (origin in ('bench', 'mlgym'));--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_origin" CHECK (origin in ('bench', 'mlgym'));--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_imported_ended" CHECK (origin = 'bench' or status = 'ended');--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'forfeit', 'wall_time', 'api', 'runtime', 'unknown', 'cancelled', 'config_error', 'infra_error'));--> statement-breakpoint
comment on table imports is 'Where imported runs came from, and what of their record has no column elsewhere.';
--> statement-breakpoint
comment on column runs.origin is 'Whose harness played it: bench, or mlgym: only the record was imported.';
--> statement-breakpoint
comment on column runs.exit_status is 'Of imported runs: the status in the words of their harness.';
--> statement-breakpoint
comment on column runs.recorded_cost_usd is 'Of imported runs: the cost that their harness wrote, by its own price list; cost_usd is 0.';
--> statement-breakpoint
comment on column runs.recorded_calls is 'Of imported runs: model calls as their harness counted them; they have no rows in model_calls.';
