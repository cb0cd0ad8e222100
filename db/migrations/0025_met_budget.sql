ALTER TABLE "runs" ADD COLUMN "met_budget_usd" numeric(20, 10);--> statement-breakpoint
comment on column runs.met_budget_usd is 'The batch''s budget as it was when it had no room for a call of this run; the last one.';
