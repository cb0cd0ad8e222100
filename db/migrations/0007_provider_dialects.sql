ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "reasoning" text;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "reasoning" text;--> statement-breakpoint
ALTER TABLE "tree_nodes" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'refusal', 'forfeit', 'exit', 'provider_refused', 'wall_time', 'deadline', 'api', 'runtime', 'unknown', 'cancelled', 'config_error', 'infra_error'));