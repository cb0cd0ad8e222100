CREATE TABLE "installation" (
	"installation_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "installation_one" ON "installation" USING btree ((true));--> statement-breakpoint
comment on table installation is 'Which installation of bench this database is, one row at most: a Temporal namespace serves one alone.';
