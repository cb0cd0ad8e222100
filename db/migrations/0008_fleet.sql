CREATE TABLE "host_invitations" (
	"database_user" text PRIMARY KEY NOT NULL,
	"host_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"joined_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
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
CREATE TABLE "task_archives" (
	"content_hash" text PRIMARY KEY NOT NULL,
	"artifact" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_archives_artifact_artifacts_sha256_fk" FOREIGN KEY ("artifact") REFERENCES "public"."artifacts"("sha256") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "database_user" text;
--> statement-breakpoint
CREATE UNIQUE INDEX "evaluator_key_one" ON "evaluator_key" USING btree ((true));
--> statement-breakpoint
CREATE UNIQUE INDEX "sealing_key_one" ON "sealing_key" USING btree ((true));