CREATE TABLE "installation" (
	"installation_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "namespace_id" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "namespace_at" text;--> statement-breakpoint
CREATE UNIQUE INDEX "installation_one" ON "installation" USING btree ((true));--> statement-breakpoint
comment on table installation is 'Which installation of bench this database is, one row at most: a Temporal namespace serves one alone.';--> statement-breakpoint
comment on column hosts.namespace_id is 'Of the Temporal namespace that its worker polls; all hosts that are up have the same.';--> statement-breakpoint
comment on column hosts.namespace_at is 'Name and address of that namespace, as the host has them.';
