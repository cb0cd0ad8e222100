-- By hand: what a request could lower before its numbers were checked.
UPDATE "batches" SET "charged_usd" = 0 WHERE "charged_usd" < 0;--> statement-breakpoint
UPDATE "model_calls" SET "reserved_usd" = 0 WHERE "reserved_usd" < 0;--> statement-breakpoint
UPDATE "model_calls" SET "cost_usd" = 0 WHERE "cost_usd" < 0;--> statement-breakpoint
UPDATE "runs" SET "cost_usd" = 0 WHERE "cost_usd" < 0;--> statement-breakpoint
UPDATE "rate_tickets" SET "tokens" = 0 WHERE "tokens" < 0;--> statement-breakpoint
UPDATE "rate_tickets" SET "charged" = 0 WHERE "charged" < 0;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_amounts" CHECK (charged_usd >= 0 and charged_usd <> 'NaN');--> statement-breakpoint
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_amounts" CHECK (reserved_usd >= 0 and reserved_usd <> 'NaN' and cost_usd >= 0 and cost_usd <> 'NaN' and input_tokens >= 0 and output_tokens >= 0 and cached_tokens >= 0 and reasoning_tokens >= 0 and cache_write_tokens >= 0);--> statement-breakpoint
ALTER TABLE "rate_tickets" ADD CONSTRAINT "rate_tickets_amounts" CHECK (tokens >= 0 and charged >= 0);--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_amounts" CHECK (cost_limit_usd >= 0 and cost_limit_usd <> 'NaN' and cost_usd >= 0 and cost_usd <> 'NaN' and recorded_cost_usd >= 0 and recorded_cost_usd <> 'NaN' and met_budget_usd >= 0 and met_budget_usd <> 'NaN' and token_limit >= 0 and input_tokens >= 0 and output_tokens >= 0 and cached_tokens >= 0 and reasoning_tokens >= 0 and cache_write_tokens >= 0);--> statement-breakpoint
ALTER TABLE "search_nodes" ADD CONSTRAINT "search_nodes_amounts" CHECK (reserved_usd >= 0 and reserved_usd <> 'NaN' and spent_usd >= 0 and spent_usd <> 'NaN' and reserved_tokens >= 0 and spent_tokens >= 0);--> statement-breakpoint
ALTER TABLE "search_trees" ADD CONSTRAINT "search_trees_amounts" CHECK (cost_limit_usd >= 0 and cost_limit_usd <> 'NaN');