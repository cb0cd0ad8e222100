ALTER TABLE "runs" DROP CONSTRAINT "runs_status";--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "home_id" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "roles" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "version" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "slots" integer;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "memory_for_runs_mb" integer;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "memory_free_mb" integer;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "disk_total_mb" bigint;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "disk_free_mb" bigint;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "busy_gpus" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "heartbeat_seconds" real DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "alive_since" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "paused" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "drained_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "lost_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "revoked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "waiting_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_status" CHECK (status in ('queued', 'waiting_gpu', 'waiting_host', 'starting', 'running', 'finishing', 'ended'));