CREATE SEQUENCE "public"."episode_ordinals" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "episode_actions" (
	"run_id" text NOT NULL,
	"seq" integer NOT NULL,
	"step" integer NOT NULL,
	"try" integer NOT NULL,
	"action" jsonb NOT NULL,
	"policy_version" integer,
	"outcome" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "episode_actions_pkey" PRIMARY KEY("run_id","seq"),
	CONSTRAINT "episode_actions_turn_unique" UNIQUE("run_id","step","try")
);
--> statement-breakpoint
CREATE TABLE "episodes" (
	"run_id" text PRIMARY KEY NOT NULL,
	"episode_id" text NOT NULL,
	"door" text NOT NULL,
	"reset" jsonb NOT NULL,
	"reward" jsonb NOT NULL,
	"group_key" text,
	"labels" jsonb NOT NULL,
	"policy_version" integer,
	"seq" integer DEFAULT 0 NOT NULL,
	"next_step" integer NOT NULL,
	"next_try" integer DEFAULT 0 NOT NULL,
	"deadline_at" timestamp with time zone,
	"idle_seconds" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"wanted_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "episodes_episode_id_unique" UNIQUE("episode_id")
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_end_reason";--> statement-breakpoint
ALTER TABLE "turns" ALTER COLUMN "messages" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "training" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "episode_actions" ADD CONSTRAINT "episode_actions_run_id_episodes_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."episodes"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "episodes" ADD CONSTRAINT "episodes_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "episodes_expires" ON "episodes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "episodes_group" ON "episodes" USING btree ("group_key") WHERE group_key is not null;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_reason" CHECK (end_reason in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'budget', 'format', 'forfeit', 'wall_time', 'deadline', 'api', 'runtime', 'unknown', 'cancelled', 'config_error', 'infra_error'));