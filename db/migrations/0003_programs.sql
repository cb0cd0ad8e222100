CREATE TABLE "program_steps" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"key" text NOT NULL,
	"agent" text DEFAULT '' NOT NULL,
	"wire" text,
	"fingerprint" text,
	"answer" jsonb,
	"client_gone" boolean DEFAULT false NOT NULL,
	"handed_out_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "program_steps_pkey" PRIMARY KEY("run_id","step"),
	CONSTRAINT "program_steps_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";
--> statement-breakpoint
CREATE UNIQUE INDEX "program_steps_key" ON "program_steps" USING btree ("run_id","key");
--> statement-breakpoint
CREATE INDEX "program_steps_fingerprint" ON "program_steps" USING btree ("run_id","fingerprint");
--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'forfeit', 'exit', 'wall_time', 'deadline', 'api', 'runtime', 'unknown', 'cancelled', 'config_error', 'infra_error'));