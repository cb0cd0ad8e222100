CREATE TABLE "schedules" (
	"name" text PRIMARY KEY NOT NULL,
	"cron" text NOT NULL,
	"overlap" text NOT NULL,
	"request" jsonb NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"next_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_overlap" CHECK (overlap in ('skip', 'buffer-one', 'buffer-all', 'allow-all'))
);
--> statement-breakpoint
CREATE TABLE "schedule_runs" (
	"schedule" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"batch_id" text,
	"base_batch_id" text,
	"outcome" text,
	"accepted" boolean DEFAULT false NOT NULL,
	"detail" text,
	"decided_at" timestamp with time zone,
	CONSTRAINT "schedule_runs_schedule_due_at_pk" PRIMARY KEY("schedule","due_at"),
	CONSTRAINT "schedule_runs_outcome" CHECK (outcome in ('first', 'better', 'not_worse', 'undecided', 'worse', 'failed')),
	CONSTRAINT "schedule_runs_decided" CHECK ((outcome is null) = (decided_at is null)),
	CONSTRAINT "schedule_runs_schedule_schedules_name_fk" FOREIGN KEY ("schedule") REFERENCES "public"."schedules"("name") ON DELETE cascade ON UPDATE no action,
	CONSTRAINT "schedule_runs_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "schedule_runs_base_batch_id_batches_batch_id_fk" FOREIGN KEY ("base_batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind";
--> statement-breakpoint
CREATE INDEX "schedule_runs_batch" ON "schedule_runs" USING btree ("batch_id");
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind" CHECK (kind in ('ended', 'stalled', 'budget_exhausted', 'paused', 'regression'));