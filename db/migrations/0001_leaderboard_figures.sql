CREATE TABLE "leaderboard_figures" (
	"inputs" text PRIMARY KEY NOT NULL,
	"figures" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "allocation" jsonb;