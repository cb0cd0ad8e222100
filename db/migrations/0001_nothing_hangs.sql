ALTER TABLE "evaluations" DROP CONSTRAINT "evaluations_status";--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "paused_because" text;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "breaker" integer;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "failing_cause" text;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "failing_runs" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "cut_off_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "worker" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "gives_up_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "fence" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "end_cause" text;--> statement-breakpoint
ALTER TABLE "turns" ADD COLUMN "listened_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_breaker" CHECK (breaker > 0);--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_failing_cause" CHECK (failing_cause in ('image', 'engine', 'evaluator', 'provider', 'program', 'services'));--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_status" CHECK (status in ('pending', 'not_run', 'ok', 'no_artefact', 'rejected', 'evaluator_error'));--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind" CHECK (kind in ('ended', 'stalled', 'budget', 'paused'));--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_end_cause" CHECK (end_cause in ('image', 'engine', 'evaluator', 'provider', 'program', 'services'));