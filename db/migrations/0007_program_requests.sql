CREATE TABLE "program_counts" (
	"run_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"epoch" integer NOT NULL,
	"agent" text NOT NULL,
	"likeness" text NOT NULL,
	"request" json NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "program_counts_pkey" PRIMARY KEY("run_id","fingerprint"),
	CONSTRAINT "program_counts_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "program_parts" (
	"run_id" text NOT NULL,
	"hash" text NOT NULL,
	"part" json NOT NULL,
	CONSTRAINT "program_parts_pkey" PRIMARY KEY("run_id","hash"),
	CONSTRAINT "program_parts_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "program_steps" ADD COLUMN "epoch" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "program_steps" ADD COLUMN "likeness" text;
--> statement-breakpoint
ALTER TABLE "program_steps" ADD COLUMN "request" json;
--> statement-breakpoint
ALTER TABLE "program_steps" ADD COLUMN "replayed_epoch" integer;
--> statement-breakpoint
ALTER TABLE "program_steps" ADD COLUMN "abandoned" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "program_counts_likeness" ON "program_counts" USING btree ("run_id","likeness");