ALTER TABLE "model_calls" ADD COLUMN "worker" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "gives_up_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "fence" text;--> statement-breakpoint
ALTER TABLE "turns" ADD COLUMN "listened_until" timestamp with time zone;