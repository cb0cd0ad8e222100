CREATE TABLE "human_turns" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"messages" jsonb NOT NULL,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"replied_at" timestamp with time zone,
	CONSTRAINT "human_turns_pkey" PRIMARY KEY("run_id","step","try")
);
--> statement-breakpoint
CREATE TABLE "memories" (
	"task_id" text NOT NULL,
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"ordinal" integer NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memories_pkey" PRIMARY KEY("run_id","step","ordinal")
);
--> statement-breakpoint
CREATE TABLE "recordings" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_backend";--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "recording_hash" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "evaluator_image_digest" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "workspace_limit" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "memory" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "memory_records" integer;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "tool_state" jsonb;--> statement-breakpoint
ALTER TABLE "human_turns" ADD CONSTRAINT "human_turns_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "human_turns_open" ON "human_turns" USING btree ("run_id") WHERE reply is null;--> statement-breakpoint
CREATE INDEX "memories_task" ON "memories" USING btree ("task_id","created_at");--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_recording_hash_recordings_hash_fk" FOREIGN KEY ("recording_hash") REFERENCES "public"."recordings"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_backend" CHECK (backend in ('docker', 'podman', 'local'));