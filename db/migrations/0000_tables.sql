CREATE TABLE "agent_configs" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "artifacts" (
	"sha256" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "snapshots" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"epoch" integer NOT NULL,
	"artifact" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "snapshots_pkey" PRIMARY KEY("run_id","step","epoch")
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"batch_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"spec" jsonb NOT NULL,
	"seed" bigint NOT NULL,
	"concurrency" integer NOT NULL,
	"budget_usd" numeric(20, 10),
	"status" text DEFAULT 'queued' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "batches_name_unique" UNIQUE("name"),
	CONSTRAINT "batches_status" CHECK (status in ('queued', 'running', 'ended', 'cancelled')),
	CONSTRAINT "batches_concurrency" CHECK (concurrency > 0)
);
--> statement-breakpoint
CREATE TABLE "comparison_sets" (
	"name" text PRIMARY KEY NOT NULL,
	"models" text[] NOT NULL,
	"tasks" text[] NOT NULL,
	"k" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "evaluations" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"kind" text NOT NULL,
	"split" text DEFAULT 'test' NOT NULL,
	"number" integer NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"metrics" jsonb,
	"primary_score" double precision,
	"suspect" boolean DEFAULT false NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"submission_sha256" text,
	"isolation" text,
	"evaluator_version" text NOT NULL,
	"contract" integer NOT NULL,
	"ms" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "evaluations_pkey" PRIMARY KEY("run_id","step","kind","split"),
	CONSTRAINT "evaluations_kind" CHECK (kind in ('validate', 'submit', 'forced', 'baseline')),
	CONSTRAINT "evaluations_status" CHECK (status in ('pending', 'ok', 'no_artefact', 'rejected', 'evaluator_error')),
	CONSTRAINT "evaluations_isolation" CHECK (isolation in ('container', 'none')),
	CONSTRAINT "evaluations_finite" CHECK (primary_score not in ('NaN', 'Infinity', '-Infinity'))
);
--> statement-breakpoint
CREATE TABLE "events" (
	"event_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" text,
	"batch_id" text,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"detail" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hosts" (
	"host_id" text PRIMARY KEY NOT NULL,
	"hostname" text,
	"cpus" integer,
	"memory_mb" integer,
	"gpus" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"backends" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"run_id" text NOT NULL,
	"token" bigint NOT NULL,
	"host_id" text NOT NULL,
	"device" text NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	"released_at" timestamp with time zone,
	CONSTRAINT "leases_pkey" PRIMARY KEY("run_id","token","device")
);
--> statement-breakpoint
CREATE TABLE "model_calls" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"attempt" integer NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"request_hash" text NOT NULL,
	"request_messages" integer NOT NULL,
	"reserved_usd" numeric(20, 10) DEFAULT '0' NOT NULL,
	"status" text DEFAULT 'reserved' NOT NULL,
	"response" text,
	"finish_reason" text,
	"input_tokens" bigint,
	"output_tokens" bigint,
	"cached_tokens" bigint,
	"reasoning_tokens" bigint,
	"cost_usd" numeric(20, 10),
	"ms" double precision,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "model_calls_pkey" PRIMARY KEY("run_id","step","try","attempt"),
	CONSTRAINT "model_calls_status" CHECK (status in ('reserved', 'confirmed', 'unconfirmed', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"shard" integer NOT NULL,
	"ordinal" integer NOT NULL,
	"model_name" text NOT NULL,
	"model_kind" text NOT NULL,
	"provider" text NOT NULL,
	"provider_model" text NOT NULL,
	"sampling" jsonb NOT NULL,
	"task_id" text NOT NULL,
	"task_hash" text NOT NULL,
	"contract" integer NOT NULL,
	"sample" boolean DEFAULT false NOT NULL,
	"agent_name" text NOT NULL,
	"agent_hash" text NOT NULL,
	"attempt" integer NOT NULL,
	"seed" bigint NOT NULL,
	"max_steps" integer NOT NULL,
	"wall_seconds" integer NOT NULL,
	"backend" text NOT NULL,
	"gpus" integer NOT NULL,
	"harness_version" text NOT NULL,
	"replaces" text,
	"status" text DEFAULT 'queued' NOT NULL,
	"host_id" text,
	"isolation" text,
	"epoch" integer DEFAULT 0 NOT NULL,
	"workspace" text,
	"image_digest" text,
	"step" integer DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_usd" numeric(20, 10) DEFAULT '0' NOT NULL,
	"best_score" double precision,
	"final_score" double precision,
	"end_reason" text,
	"final_evaluation" text,
	"detail" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "runs_ordinal_unique" UNIQUE("batch_id","ordinal"),
	CONSTRAINT "runs_status" CHECK (status in ('queued', 'waiting_gpu', 'starting', 'running', 'finishing', 'ended')),
	CONSTRAINT "runs_model_kind" CHECK (model_kind in ('real', 'scripted', 'human', 'replay', 'oracle')),
	CONSTRAINT "runs_backend" CHECK (backend in ('docker', 'local')),
	CONSTRAINT "runs_isolation" CHECK (isolation in ('container', 'none')),
	CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'format', 'forfeit', 'wall_time', 'cancelled', 'config_error', 'infra_error')),
	CONSTRAINT "runs_final_evaluation" CHECK (final_evaluation in ('ok', 'no_artefact', 'rejected', 'evaluator_error', 'not_run')),
	CONSTRAINT "runs_ended_has_reason" CHECK ((status = 'ended') = (end_reason is not null) and (status = 'ended') = (final_evaluation is not null))
);
--> statement-breakpoint
CREATE TABLE "steps" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"response" text NOT NULL,
	"thought" text NOT NULL,
	"action" text,
	"model_ms" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"observation" text,
	"exit_code" integer,
	"timed_out" boolean DEFAULT false NOT NULL,
	"lost" boolean DEFAULT false NOT NULL,
	"output_bytes" bigint,
	"requested" text,
	"working_dir" text,
	"command_ms" double precision,
	"executed_at" timestamp with time zone,
	CONSTRAINT "steps_pkey" PRIMARY KEY("run_id","step"),
	CONSTRAINT "steps_requested" CHECK (requested in ('validate', 'submit'))
);
--> statement-breakpoint
CREATE TABLE "baselines" (
	"content_hash" text PRIMARY KEY NOT NULL,
	"value" double precision NOT NULL,
	"standard_error" double precision NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "baselines_finite" CHECK (value not in ('NaN', 'Infinity', '-Infinity'))
);
--> statement-breakpoint
CREATE TABLE "task_versions" (
	"content_hash" text PRIMARY KEY NOT NULL,
	"task_id" text NOT NULL,
	"contract" integer NOT NULL,
	"name" text NOT NULL,
	"spec" jsonb NOT NULL,
	"primary_metric" text NOT NULL,
	"direction" text NOT NULL,
	"bound_min" double precision,
	"bound_max" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_versions_direction" CHECK (direction in ('maximize', 'minimize'))
);
--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_artifact_artifacts_sha256_fk" FOREIGN KEY ("artifact") REFERENCES "public"."artifacts"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_host_id_hosts_host_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_task_hash_task_versions_content_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("content_hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_agent_hash_agent_configs_hash_fk" FOREIGN KEY ("agent_hash") REFERENCES "public"."agent_configs"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_replaces_runs_run_id_fk" FOREIGN KEY ("replaces") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_host_id_hosts_host_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "steps" ADD CONSTRAINT "steps_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "baselines" ADD CONSTRAINT "baselines_content_hash_task_versions_content_hash_fk" FOREIGN KEY ("content_hash") REFERENCES "public"."task_versions"("content_hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "evaluations_number_unique" ON "evaluations" USING btree ("run_id","split","number");--> statement-breakpoint
CREATE INDEX "evaluations_submission" ON "evaluations" USING btree ("submission_sha256");--> statement-breakpoint
CREATE UNIQUE INDEX "events_run_key" ON "events" USING btree ("run_id","key") WHERE run_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "events_batch_key" ON "events" USING btree ("batch_id","key") WHERE run_id is null and batch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "events_key" ON "events" USING btree ("key") WHERE run_id is null and batch_id is null;--> statement-breakpoint
CREATE INDEX "events_batch" ON "events" USING btree ("batch_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "leases_one_holder" ON "leases" USING btree ("host_id","device") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "leases_granted" ON "leases" USING btree ("granted_at");--> statement-breakpoint
CREATE UNIQUE INDEX "model_calls_one_answer" ON "model_calls" USING btree ("run_id","step","try") WHERE status = 'confirmed';--> statement-breakpoint
CREATE UNIQUE INDEX "runs_attempt_unique" ON "runs" USING btree ("batch_id","model_name","task_id","attempt") WHERE replaces is null;--> statement-breakpoint
CREATE INDEX "runs_shard" ON "runs" USING btree ("batch_id","shard");--> statement-breakpoint
CREATE INDEX "runs_unfinished" ON "runs" USING btree ("status") WHERE status <> 'ended';--> statement-breakpoint
CREATE INDEX "runs_task_model" ON "runs" USING btree ("task_id","model_name");--> statement-breakpoint
CREATE INDEX "runs_replaces" ON "runs" USING btree ("replaces") WHERE replaces is not null;--> statement-breakpoint
CREATE INDEX "runs_host" ON "runs" USING btree ("host_id");--> statement-breakpoint
CREATE INDEX "task_versions_task" ON "task_versions" USING btree ("task_id");