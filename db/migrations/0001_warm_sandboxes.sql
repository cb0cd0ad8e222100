CREATE TABLE "warm_sandboxes" (
	"run_id" text PRIMARY KEY NOT NULL,
	"host_id" text NOT NULL,
	"key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ready_at" timestamp with time zone,
	"claimed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "warm_wishes" (
	"key" text PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"wanted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "warm_wishes_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action
);
--> statement-breakpoint
CREATE INDEX "warm_sandboxes_key" ON "warm_sandboxes" USING btree ("key");