ALTER TABLE "comparison_sets" ADD COLUMN "standard_errors" double precision[];--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "targets" double precision[];--> statement-breakpoint
ALTER TABLE "comparison_sets" ADD COLUMN "row_order" text DEFAULT 'rank' NOT NULL;--> statement-breakpoint
ALTER TABLE "baselines" ADD COLUMN "runs" integer;