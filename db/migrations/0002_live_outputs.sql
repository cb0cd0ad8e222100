CREATE UNLOGGED TABLE "live_outputs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"step" integer NOT NULL,
	"tail" text NOT NULL,
	"worker" text NOT NULL,
	"workers" integer DEFAULT 1 NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "live_outputs_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "watched_runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "watched_runs_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action
);