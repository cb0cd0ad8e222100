ALTER TABLE "hosts" ADD COLUMN "ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "leaving_at" timestamp with time zone;