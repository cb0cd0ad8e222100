CREATE SEQUENCE "public"."episode_ordinals" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;
--> statement-breakpoint
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
CREATE TABLE "batches" (
	"batch_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"origin" text DEFAULT 'bench' NOT NULL,
	"verification" boolean DEFAULT false NOT NULL,
	"training" boolean DEFAULT false NOT NULL,
	"nodes_of" text,
	"spec" jsonb NOT NULL,
	"seed" bigint NOT NULL,
	"concurrency" integer NOT NULL,
	"priority" integer DEFAULT 3 NOT NULL,
	"budget_usd" numeric(20, 10),
	"charged_usd" numeric(20, 10) DEFAULT '0' NOT NULL,
	"forecast" jsonb,
	"allocation" jsonb,
	"paused_at" timestamp with time zone,
	"status" text DEFAULT 'queued' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "batches_name_unique" UNIQUE("name"),
	CONSTRAINT "batches_origin" CHECK (origin in ('bench', 'mlgym', 'import')),
	CONSTRAINT "batches_status" CHECK (status in ('queued', 'running', 'ended', 'cancelled')),
	CONSTRAINT "batches_concurrency" CHECK (concurrency > 0),
	CONSTRAINT "batches_priority" CHECK (priority between 1 and 5),
	CONSTRAINT "batches_budget" CHECK (budget_usd > 0 and budget_usd <> 'NaN'),
	CONSTRAINT "batches_nodes_of_batches_batch_id_fk" FOREIGN KEY ("nodes_of") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "model_configs" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recordings" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
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
CREATE TABLE "hosts" (
	"host_id" text PRIMARY KEY NOT NULL,
	"hostname" text,
	"cpus" integer,
	"memory_mb" integer,
	"gpus" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"backends" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"home_id" text,
	"roles" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"version" text,
	"slots" integer,
	"memory_for_runs_mb" integer,
	"memory_free_mb" integer,
	"disk_total_mb" bigint,
	"disk_free_mb" bigint,
	"busy_gpus" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"heartbeat_seconds" real DEFAULT 10 NOT NULL,
	"alive_since" timestamp with time zone DEFAULT now() NOT NULL,
	"paused" text,
	"drained_at" timestamp with time zone,
	"ends_at" timestamp with time zone,
	"leaving_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	"namespace_id" text,
	"namespace_at" text,
	"database_user" text
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"origin" text DEFAULT 'bench' NOT NULL,
	"shard" integer NOT NULL,
	"ordinal" integer NOT NULL,
	"model_name" text NOT NULL,
	"model_kind" text NOT NULL,
	"provider" text NOT NULL,
	"provider_model" text NOT NULL,
	"model_config_hash" text,
	"recording_hash" text,
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
	"cost_limit_usd" numeric(20, 10),
	"token_limit" bigint DEFAULT 0 NOT NULL,
	"backend" text NOT NULL,
	"gpus" integer NOT NULL,
	"harness_version" text NOT NULL,
	"replaces" text,
	"forked_from" text,
	"forked_at_step" integer,
	"status" text DEFAULT 'queued' NOT NULL,
	"waiting_since" timestamp with time zone,
	"host_id" text,
	"isolation" text,
	"epoch" integer DEFAULT 0 NOT NULL,
	"workspace" text,
	"image_digest" text,
	"evaluator_image_digest" text,
	"workspace_limit" text,
	"unenforced_limits" text[],
	"memory" boolean DEFAULT false NOT NULL,
	"memory_records" integer,
	"snapshot_every" integer DEFAULT 0 NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_usd" numeric(20, 10) DEFAULT '0' NOT NULL,
	"answered_calls" integer DEFAULT 0 NOT NULL,
	"recorded_cost_usd" numeric(20, 10),
	"met_budget_usd" numeric(20, 10),
	"recorded_calls" bigint,
	"best_score" double precision,
	"final_score" double precision,
	"end_reason" text,
	"final_evaluation" text,
	"exit_status" text,
	"detail" text,
	"integrity_version" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "runs_ordinal_unique" UNIQUE("batch_id","ordinal"),
	CONSTRAINT "runs_fork" CHECK ((forked_from is null) = (forked_at_step is null) and forked_at_step > 0),
	CONSTRAINT "runs_origin" CHECK (origin in ('bench', 'mlgym', 'import')),
	CONSTRAINT "runs_imported_ended" CHECK (origin = 'bench' or status = 'ended'),
	CONSTRAINT "runs_status" CHECK (status in ('queued', 'waiting_gpu', 'waiting_host', 'starting', 'running', 'finishing', 'ended')),
	CONSTRAINT "runs_model_kind" CHECK (model_kind in ('real', 'scripted', 'human', 'external', 'replay', 'oracle')),
	CONSTRAINT "runs_backend" CHECK (backend in ('docker', 'podman', 'local')),
	CONSTRAINT "runs_isolation" CHECK (isolation in ('container', 'none')),
	CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'forfeit', 'exit', 'wall_time', 'deadline', 'api', 'runtime', 'unknown', 'cancelled', 'config_error', 'infra_error')),
	CONSTRAINT "runs_final_evaluation" CHECK (final_evaluation in ('ok', 'no_artefact', 'rejected', 'evaluator_error', 'not_run')),
	CONSTRAINT "runs_ended_has_reason" CHECK ((status = 'ended') = (end_reason is not null) and (status = 'ended') = (final_evaluation is not null)),
	CONSTRAINT "runs_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_model_config_hash_model_configs_hash_fk" FOREIGN KEY ("model_config_hash") REFERENCES "public"."model_configs"("hash") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_recording_hash_recordings_hash_fk" FOREIGN KEY ("recording_hash") REFERENCES "public"."recordings"("hash") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_task_hash_task_versions_content_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("content_hash") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_agent_hash_agent_configs_hash_fk" FOREIGN KEY ("agent_hash") REFERENCES "public"."agent_configs"("hash") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_replaces_runs_run_id_fk" FOREIGN KEY ("replaces") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_forked_from_runs_run_id_fk" FOREIGN KEY ("forked_from") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "runs_host_id_hosts_host_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "snapshots" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"epoch" integer NOT NULL,
	"artifact" text,
	"bytes" bigint,
	"disk" text,
	"disk_host" text,
	"archive_wanted_at" timestamp with time zone,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "snapshots_pkey" PRIMARY KEY("run_id","step","epoch"),
	CONSTRAINT "snapshots_lies_somewhere" CHECK ("snapshots"."artifact" is not null or ("snapshots"."disk" is not null and "snapshots"."disk_host" is not null)),
	CONSTRAINT "snapshots_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "snapshots_artifact_artifacts_sha256_fk" FOREIGN KEY ("artifact") REFERENCES "public"."artifacts"("sha256") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "snapshots_disk_host_hosts_host_id_fk" FOREIGN KEY ("disk_host") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "comparison_sets" (
	"name" text PRIMARY KEY NOT NULL,
	"models" text[] NOT NULL,
	"tasks" text[] NOT NULL,
	"contracts" integer[] NOT NULL,
	"baselines" double precision[] NOT NULL,
	"standard_errors" double precision[],
	"targets" double precision[],
	"k" integer,
	"axis" double precision DEFAULT 1 NOT NULL,
	"mode" text DEFAULT 'strict' NOT NULL,
	"metric" text DEFAULT 'best-attempt' NOT NULL,
	"row_order" text DEFAULT 'rank' NOT NULL,
	"include_suspect" boolean DEFAULT false NOT NULL,
	"include_local" boolean DEFAULT false NOT NULL,
	"include_imported" boolean DEFAULT false NOT NULL,
	"include_scripted" boolean DEFAULT false NOT NULL,
	"sample" boolean DEFAULT false NOT NULL,
	"profile" text DEFAULT 'default' NOT NULL,
	"batch_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "comparison_sets_axis" CHECK (axis > 0 and axis < 'Infinity'),
	CONSTRAINT "comparison_sets_contracts" CHECK (cardinality(contracts) = cardinality(tasks)),
	CONSTRAINT "comparison_sets_baselines" CHECK (cardinality(baselines) = cardinality(tasks))
);
--> statement-breakpoint
CREATE TABLE "episodes" (
	"run_id" text PRIMARY KEY NOT NULL,
	"episode_id" text NOT NULL,
	"door" text NOT NULL,
	"session" text,
	"reset" jsonb NOT NULL,
	"reward" jsonb NOT NULL,
	"group_key" text,
	"labels" jsonb NOT NULL,
	"policy_version" integer,
	"seq" integer DEFAULT 0 NOT NULL,
	"next_step" integer NOT NULL,
	"next_try" integer DEFAULT 0 NOT NULL,
	"deadline_at" timestamp with time zone,
	"max_validations" integer,
	"idle_seconds" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"wanted_at" timestamp with time zone,
	"detached_at" timestamp with time zone,
	"reset_ms" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "episodes_episode_id_unique" UNIQUE("episode_id"),
	CONSTRAINT "episodes_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "episode_actions" (
	"run_id" text NOT NULL,
	"seq" integer NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"action" jsonb NOT NULL,
	"policy_version" integer,
	"outcome" jsonb,
	"printed" text,
	"interrupted_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "episode_actions_pkey" PRIMARY KEY("run_id","seq"),
	CONSTRAINT "episode_actions_turn_unique" UNIQUE("run_id","step","try"),
	CONSTRAINT "episode_actions_run_id_episodes_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."episodes"("run_id") ON DELETE no action ON UPDATE no action
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
	"from_step" integer,
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
	CONSTRAINT "evaluations_finite" CHECK (primary_score not in ('NaN', 'Infinity', '-Infinity')),
	CONSTRAINT "evaluations_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "events" (
	"event_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" text,
	"batch_id" text,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"detail" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "events_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "events_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "host_invitations" (
	"database_user" text PRIMARY KEY NOT NULL,
	"host_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"joined_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"format" text NOT NULL,
	"source" text NOT NULL,
	"content_hash" text NOT NULL,
	"signed_by" text,
	"raw_exit_status" text,
	"model_stats" jsonb,
	"submission" text,
	"baseline" jsonb,
	"environment" text,
	"args" jsonb,
	"prompt" jsonb,
	"footers" jsonb,
	"history_messages" integer,
	"last_action" text,
	"remarks" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imports_content_unique" UNIQUE("content_hash"),
	CONSTRAINT "imports_source_unique" UNIQUE("batch_id","source"),
	CONSTRAINT "imports_format" CHECK (format in ('mlgym', 'jsonl', 'atif', 'inspect')),
	CONSTRAINT "imports_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "imports_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"installation_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"notify_from" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "integrity_marks" (
	"run_id" text NOT NULL,
	"rule" text NOT NULL,
	"step" integer,
	"until" integer,
	"detail" text NOT NULL,
	"version" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrity_marks_pkey" PRIMARY KEY("run_id","rule"),
	CONSTRAINT "integrity_marks_rule" CHECK (rule in ('beyond_bounds', 'protected_write', 'self_reported', 'made_up_answers', 'untouched_starter', 'read_answers', 'no_model_call', 'test_beats_validation', 'same_image', 'in_process', 'live')),
	CONSTRAINT "integrity_marks_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "evaluator_key" (
	"key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sealing_key" (
	"key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leaderboard_figures" (
	"inputs" text PRIMARY KEY NOT NULL,
	"figures" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"run_id" text NOT NULL,
	"token" bigint NOT NULL,
	"host_id" text NOT NULL,
	"device" text NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"released_at" timestamp with time zone,
	CONSTRAINT "leases_pkey" PRIMARY KEY("run_id","token","device"),
	CONSTRAINT "leases_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "leases_host_id_hosts_host_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "memories" (
	"task_id" text NOT NULL,
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"ordinal" integer NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memories_pkey" PRIMARY KEY("run_id","step","ordinal"),
	CONSTRAINT "memories_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "model_calls" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"attempt" integer NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"endpoint" text,
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
	"cache_write_tokens" bigint,
	"usage_problem" text,
	"tool_calls" jsonb,
	"cost_usd" numeric(20, 10),
	"ms" double precision,
	"error" text,
	"error_detail" text,
	"retry_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "model_calls_pkey" PRIMARY KEY("run_id","step","try","attempt"),
	CONSTRAINT "model_calls_status" CHECK (status in ('reserved', 'confirmed', 'unconfirmed', 'failed')),
	CONSTRAINT "model_calls_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "reservation_factors" (
	"account" text NOT NULL,
	"model" text NOT NULL,
	"factor" numeric(12, 2) NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reservation_factors_pkey" PRIMARY KEY("account","model"),
	CONSTRAINT "reservation_factors_factor" CHECK (factor > 1 and factor <> 'NaN')
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"notification_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp with time zone,
	"given_up_at" timestamp with time zone,
	"error" text,
	CONSTRAINT "notifications_once" UNIQUE("batch_id","kind","key"),
	CONSTRAINT "notifications_kind" CHECK (kind in ('ended', 'stalled', 'budget')),
	CONSTRAINT "notifications_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE cascade ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "price_lists" (
	"list" text NOT NULL,
	"model" text NOT NULL,
	"input_usd" numeric(20, 10) NOT NULL,
	"output_usd" numeric(20, 10) NOT NULL,
	"cached_input_usd" numeric(20, 10),
	"valid_from" date DEFAULT '-infinity' NOT NULL,
	"valid_until" date,
	CONSTRAINT "price_lists_pkey" PRIMARY KEY("list","model","valid_from"),
	CONSTRAINT "price_lists_prices" CHECK (input_usd >= 0 and output_usd >= 0 and cached_input_usd >= 0),
	CONSTRAINT "price_lists_days" CHECK (valid_until > valid_from)
);
--> statement-breakpoint
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
CREATE TABLE "program_steps" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"key" text NOT NULL,
	"agent" text DEFAULT '' NOT NULL,
	"wire" text,
	"fingerprint" text,
	"epoch" integer DEFAULT 1 NOT NULL,
	"likeness" text,
	"request" json,
	"answer" jsonb,
	"client_gone" boolean DEFAULT false NOT NULL,
	"handed_out_at" timestamp with time zone,
	"replayed_epoch" integer,
	"abandoned" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "program_steps_pkey" PRIMARY KEY("run_id","step"),
	CONSTRAINT "program_steps_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "rate_accounts" (
	"account" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"state" jsonb NOT NULL,
	"set_requests" double precision,
	"set_tokens" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rate_accounts_set" CHECK (set_requests > 0 and set_tokens > 0)
);
--> statement-breakpoint
CREATE TABLE "rate_tickets" (
	"account" text NOT NULL,
	"ticket" text NOT NULL,
	"batch_id" text NOT NULL,
	"status" text NOT NULL,
	"tokens" bigint NOT NULL,
	"arrived_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"granted_at" timestamp with time zone,
	"charged" bigint,
	"ended_at" timestamp with time zone,
	CONSTRAINT "rate_tickets_status" CHECK (status in ('waiting', 'granted', 'settled', 'limited')),
	CONSTRAINT "rate_tickets_account_rate_accounts_account_fk" FOREIGN KEY ("account") REFERENCES "public"."rate_accounts"("account") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "captured_calls" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"level" text NOT NULL,
	"prompt_token_ids" integer[],
	"token_ids" integer[],
	"logprobs" double precision[],
	"request" jsonb NOT NULL,
	CONSTRAINT "captured_calls_pkey" PRIMARY KEY("run_id","step","try"),
	CONSTRAINT "captured_calls_level" CHECK (level in ('tokens', 'logprobs', 'text')),
	CONSTRAINT "captured_calls_whole" CHECK (level <> 'tokens' or (prompt_token_ids is not null and cardinality(token_ids) = cardinality(logprobs))),
	CONSTRAINT "captured_calls_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "rollouts" (
	"run_id" text PRIMARY KEY NOT NULL,
	"capture" text NOT NULL,
	"sealed" text,
	"number" bigint,
	"acknowledged_at" timestamp with time zone,
	CONSTRAINT "rollouts_capture" CHECK (capture in ('tokens', 'logprobs', 'text')),
	CONSTRAINT "rollouts_run_id_episodes_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."episodes"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "run_results" (
	"run_id" text PRIMARY KEY NOT NULL,
	"evaluations" integer NOT NULL,
	"suspects" integer NOT NULL,
	"without_isolation" boolean NOT NULL,
	"best_attempt" double precision,
	"best_number" integer,
	"last_attempt" double precision,
	"last_number" integer,
	"best_attempt_of_all" double precision,
	"best_number_of_all" integer,
	"last_attempt_of_all" double precision,
	"last_number_of_all" integer,
	CONSTRAINT "run_results_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE cascade ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "search_trees" (
	"run_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"policy" text NOT NULL,
	"max_nodes" integer NOT NULL,
	"max_validations" integer NOT NULL,
	"cost_limit_usd" numeric(20, 10),
	"token_limit" bigint NOT NULL,
	"seconds_limit" integer NOT NULL,
	"stopped" text,
	"chosen" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp with time zone,
	CONSTRAINT "search_trees_batch_unique" UNIQUE("batch_id"),
	CONSTRAINT "search_trees_limits" CHECK (max_nodes > 0 and max_validations > 0 and token_limit >= 0 and seconds_limit >= 0),
	CONSTRAINT "search_trees_stopped" CHECK (stopped in ('policy', 'lost', 'nodes', 'validations', 'cost', 'tokens', 'seconds', 'budget')),
	CONSTRAINT "search_trees_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "search_trees_batch_id_batches_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("batch_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "search_nodes" (
	"tree_run_id" text NOT NULL,
	"node" integer NOT NULL,
	"run_id" text NOT NULL,
	"wave" integer NOT NULL,
	"operator" text NOT NULL,
	"parent" integer,
	"mate" integer,
	"status" text DEFAULT 'open' NOT NULL,
	"value" double precision,
	"reserved_usd" numeric(20, 10),
	"reserved_tokens" bigint NOT NULL,
	"reserved_seconds" integer NOT NULL,
	"spent_usd" numeric(20, 10),
	"spent_tokens" bigint,
	"spent_seconds" double precision,
	"validations" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "search_nodes_pkey" PRIMARY KEY("tree_run_id","node"),
	CONSTRAINT "search_nodes_run_unique" UNIQUE("run_id"),
	CONSTRAINT "search_nodes_operator" CHECK (operator in ('draft', 'improve', 'debug', 'crossover')),
	CONSTRAINT "search_nodes_status" CHECK (status in ('open', 'scored', 'failed', 'lost')),
	CONSTRAINT "search_nodes_settled" CHECK ((status = 'open') = (settled_at is null)),
	CONSTRAINT "search_nodes_value" CHECK ((status = 'scored') = (value is not null)),
	CONSTRAINT "search_nodes_order" CHECK (parent < node and mate < node),
	CONSTRAINT "search_nodes_tree_run_id_search_trees_run_id_fk" FOREIGN KEY ("tree_run_id") REFERENCES "public"."search_trees"("run_id") ON DELETE no action ON UPDATE no action,
	CONSTRAINT "search_nodes_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
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
	"tool_state" jsonb,
	"command_ms" double precision,
	"executed_at" timestamp with time zone,
	CONSTRAINT "steps_pkey" PRIMARY KEY("run_id","step"),
	CONSTRAINT "steps_requested" CHECK (requested in ('validate', 'submit')),
	CONSTRAINT "steps_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"kind" text NOT NULL,
	"sha256" text,
	"missing" text[],
	"refused" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "submissions_pkey" PRIMARY KEY("run_id","step","kind"),
	CONSTRAINT "submissions_kind" CHECK (kind in ('validate', 'submit', 'forced', 'baseline')),
	CONSTRAINT "submissions_one" CHECK (num_nonnulls(sha256, missing, refused) = 1),
	CONSTRAINT "submissions_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "task_archives" (
	"content_hash" text PRIMARY KEY NOT NULL,
	"artifact" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_archives_artifact_artifacts_sha256_fk" FOREIGN KEY ("artifact") REFERENCES "public"."artifacts"("sha256") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "task_integrity" (
	"task_id" text NOT NULL,
	"contract" integer NOT NULL,
	"protected_files" text[] NOT NULL,
	"starter_files" text[] DEFAULT '{}' NOT NULL,
	"answer_files" text[] DEFAULT '{}' NOT NULL,
	"self_reported" boolean DEFAULT false NOT NULL,
	CONSTRAINT "task_integrity_pkey" PRIMARY KEY("task_id","contract")
);
--> statement-breakpoint
CREATE TABLE "baselines" (
	"content_hash" text PRIMARY KEY NOT NULL,
	"value" double precision NOT NULL,
	"standard_error" double precision NOT NULL,
	"runs" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "baselines_finite" CHECK (value not in ('NaN', 'Infinity', '-Infinity')),
	CONSTRAINT "baselines_content_hash_task_versions_content_hash_fk" FOREIGN KEY ("content_hash") REFERENCES "public"."task_versions"("content_hash") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
CREATE TABLE "turns" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"messages" jsonb,
	"tools" jsonb,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"replied_at" timestamp with time zone,
	CONSTRAINT "turns_pkey" PRIMARY KEY("run_id","step","try"),
	CONSTRAINT "turns_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
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
CREATE INDEX "snapshots_disk" ON "snapshots" USING btree ("disk");
--> statement-breakpoint
CREATE INDEX "batches_nodes_of" ON "batches" USING btree ("nodes_of") WHERE nodes_of is not null;
--> statement-breakpoint
CREATE INDEX "episodes_expires" ON "episodes" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "episodes_session" ON "episodes" USING btree ("session") WHERE session is not null;
--> statement-breakpoint
CREATE INDEX "episodes_group" ON "episodes" USING btree ("group_key") WHERE group_key is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "evaluations_number_unique" ON "evaluations" USING btree ("run_id","split","number");
--> statement-breakpoint
CREATE INDEX "evaluations_submission" ON "evaluations" USING btree ("submission_sha256");
--> statement-breakpoint
CREATE UNIQUE INDEX "events_run_key" ON "events" USING btree ("run_id","key") WHERE run_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "events_batch_key" ON "events" USING btree ("batch_id","key") WHERE run_id is null and batch_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "events_key" ON "events" USING btree ("key") WHERE run_id is null and batch_id is null;
--> statement-breakpoint
CREATE INDEX "events_batch" ON "events" USING btree ("batch_id","at");
--> statement-breakpoint
CREATE UNIQUE INDEX "installation_one" ON "installation" USING btree ((true));
--> statement-breakpoint
CREATE UNIQUE INDEX "evaluator_key_one" ON "evaluator_key" USING btree ((true));
--> statement-breakpoint
CREATE UNIQUE INDEX "sealing_key_one" ON "sealing_key" USING btree ((true));
--> statement-breakpoint
CREATE UNIQUE INDEX "leases_one_holder" ON "leases" USING btree ("host_id","device") WHERE released_at is null;
--> statement-breakpoint
CREATE INDEX "leases_granted" ON "leases" USING btree ("granted_at");
--> statement-breakpoint
CREATE INDEX "memories_task" ON "memories" USING btree ("task_id","created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "model_calls_one_answer" ON "model_calls" USING btree ("run_id","step","try") WHERE status = 'confirmed';
--> statement-breakpoint
CREATE INDEX "model_calls_unanswered" ON "model_calls" USING btree ("provider","status") WHERE status <> 'confirmed';
--> statement-breakpoint
CREATE INDEX "notifications_due" ON "notifications" USING btree ("due_at") WHERE sent_at is null and given_up_at is null;
--> statement-breakpoint
CREATE INDEX "program_counts_likeness" ON "program_counts" USING btree ("run_id","likeness");
--> statement-breakpoint
CREATE UNIQUE INDEX "program_steps_key" ON "program_steps" USING btree ("run_id","key");
--> statement-breakpoint
CREATE INDEX "program_steps_fingerprint" ON "program_steps" USING btree ("run_id","fingerprint");
--> statement-breakpoint
CREATE INDEX "rate_tickets_ticket" ON "rate_tickets" USING btree ("account","ticket");
--> statement-breakpoint
CREATE UNIQUE INDEX "rate_tickets_one_waiting" ON "rate_tickets" USING btree ("account","ticket") WHERE status = 'waiting';
--> statement-breakpoint
CREATE INDEX "rate_tickets_granted" ON "rate_tickets" USING btree ("account","granted_at");
--> statement-breakpoint
CREATE INDEX "rate_tickets_waiting" ON "rate_tickets" USING btree ("account","arrived_at") WHERE status = 'waiting';
--> statement-breakpoint
CREATE UNIQUE INDEX "rollouts_number_unique" ON "rollouts" USING btree ("number");
--> statement-breakpoint
CREATE INDEX "rollouts_unnumbered" ON "rollouts" USING btree ("run_id") WHERE number is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "runs_attempt_unique" ON "runs" USING btree ("batch_id","model_name","task_id","attempt") WHERE replaces is null;
--> statement-breakpoint
CREATE INDEX "runs_shard" ON "runs" USING btree ("batch_id","shard");
--> statement-breakpoint
CREATE INDEX "runs_unfinished" ON "runs" USING btree ("status") WHERE status <> 'ended';
--> statement-breakpoint
CREATE INDEX "runs_ended_at" ON "runs" USING btree ("ended_at");
--> statement-breakpoint
CREATE INDEX "runs_task_model" ON "runs" USING btree ("task_id","model_name");
--> statement-breakpoint
CREATE UNIQUE INDEX "runs_replaces_unique" ON "runs" USING btree ("replaces") WHERE replaces is not null;
--> statement-breakpoint
CREATE INDEX "runs_host" ON "runs" USING btree ("host_id");
--> statement-breakpoint
CREATE INDEX "runs_imported" ON "runs" USING btree ("run_id") WHERE origin <> 'bench';
--> statement-breakpoint
CREATE INDEX "runs_unmarked" ON "runs" USING btree ("run_id") WHERE status = 'ended' and integrity_version is null;
--> statement-breakpoint
CREATE INDEX "runs_forked_from" ON "runs" USING btree ("forked_from") WHERE forked_from is not null;
--> statement-breakpoint
CREATE INDEX "task_versions_task" ON "task_versions" USING btree ("task_id");
--> statement-breakpoint
CREATE INDEX "turns_open" ON "turns" USING btree ("run_id") WHERE reply is null;
--> statement-breakpoint
CREATE INDEX "warm_sandboxes_key" ON "warm_sandboxes" USING btree ("key");
--> statement-breakpoint
-- US dollars per million tokens, as MLGym's analysis has them: one rate per direction, whatever the day.
insert into price_lists (list, model, input_usd, output_usd) values
  ('mlgym', 'gpt4o2', 2.50, 10.00),
  ('mlgym', 'gpt-o1', 15.00, 60.00),
  ('mlgym', 'gpt-o3-mini', 1.10, 4.40),
  ('mlgym', 'claude-35-sonnet-new', 3.00, 15.00),
  ('mlgym', 'claude-37-sonnet', 3.00, 15.00),
  ('mlgym', 'deepseek-r1', 0.55, 2.19),
  ('mlgym', 'gemini-15-pro', 1.25, 5.00),
  ('mlgym', 'gemini-20-flash-thinking', 0.10, 0.40),
  ('mlgym', 'gemini-20-pro', 1.25, 5.00),
  ('mlgym', 'gemini-25-pro', 1.25, 10.00),
  ('mlgym', 'llama3-405b-tools', 3.50, 3.50),
  ('mlgym', 'llama4-17b-16', 0.18, 0.59),
  ('mlgym', 'llama4-17b-128', 0.27, 0.85);
--> statement-breakpoint
-- MLGym's evaluators lie in the agent's workspace, and some import an opponent or a solver from there; COCO's averages a column that the agent
-- wrote. The games and 3-SAT score a file that the starter brings; 3-SAT's evaluator takes formulas and their answers from the agent's data.
insert into task_integrity (task_id, contract, protected_files, self_reported, starter_files, answer_files) values
  ('regressionKaggleHousePrice', 0, '{evaluate.py}', false, '{}', '{}'),
  ('3SATTime', 0, '{evaluate.py,solver.py}', false, '{heuristic.py}', '{data/dataset.pkl}'),
  ('imageClassificationCifar10', 0, '{evaluate.py}', false, '{}', '{}'),
  ('imageClassificationFMnist', 0, '{evaluate.py}', false, '{}', '{}'),
  ('imageCaptioningCOCO', 0, '{evaluate.py}', true, '{}', '{}'),
  ('languageModelingFineWeb', 0, '{evaluate.py}', false, '{}', '{}'),
  ('naturalLanguageInferenceMNLI', 0, '{evaluate.py}', false, '{}', '{}'),
  ('battleOfSexes', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('prisonersDilemma', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('blotto', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('rlBreakoutMinAtar', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}'),
  ('rlMetaMazeMisc', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}'),
  ('rlMountainCarContinuous', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}');