ALTER TABLE "snapshots" ADD COLUMN "bytes" bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "reason" text NOT NULL;--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "from_step" integer;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "forked_from" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "forked_at_step" integer;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "snapshot_every" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_forked_from_runs_run_id_fk" FOREIGN KEY ("forked_from") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_forked_from" ON "runs" USING btree ("forked_from") WHERE forked_from is not null;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_fork" CHECK ((forked_from is null) = (forked_at_step is null) and forked_at_step > 0);