CREATE TABLE "model_configs" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "cache_write_tokens" bigint;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "usage_problem" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "tool_calls" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "model_config_hash" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "cost_limit_usd" numeric(20, 10);--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "token_limit" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_model_config_hash_model_configs_hash_fk" FOREIGN KEY ("model_config_hash") REFERENCES "public"."model_configs"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'format', 'forfeit', 'wall_time', 'cancelled', 'config_error', 'infra_error'));