CREATE TABLE "deleted_runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"model_name" text NOT NULL,
	"task_id" text NOT NULL,
	"cost_usd" numeric(20, 10) NOT NULL,
	"lost_usd" numeric(20, 10) NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"imported" boolean NOT NULL,
	"deleted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deleted_runs_amounts" CHECK (cost_usd >= 0 and cost_usd <> 'NaN' and lost_usd >= 0 and lost_usd <> 'NaN' and input_tokens >= 0 and output_tokens >= 0)
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_amounts";
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "archived_at" timestamp with time zone;
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "note" text;
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "refused_usd" numeric(20, 10);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "note" text;
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
CREATE INDEX "deleted_runs_batch" ON "deleted_runs" USING btree ("batch_id");
--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_amounts" CHECK (cost_limit_usd >= 0 and cost_limit_usd <> 'NaN' and cost_usd >= 0 and cost_usd <> 'NaN' and recorded_cost_usd >= 0 and recorded_cost_usd <> 'NaN' and met_budget_usd >= 0 and met_budget_usd <> 'NaN' and refused_usd >= 0 and refused_usd <> 'NaN' and token_limit >= 0 and input_tokens >= 0 and output_tokens >= 0 and cached_tokens >= 0 and reasoning_tokens >= 0 and cache_write_tokens >= 0);