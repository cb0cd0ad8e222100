ALTER TABLE "snapshots" ALTER COLUMN "artifact" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ALTER COLUMN "bytes" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "disk" text;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "disk_host" text;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "archive_wanted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_disk_host_hosts_host_id_fk" FOREIGN KEY ("disk_host") REFERENCES "public"."hosts"("host_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "snapshots_disk" ON "snapshots" USING btree ("disk");--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_lies_somewhere" CHECK ("snapshots"."artifact" is not null or ("snapshots"."disk" is not null and "snapshots"."disk_host" is not null));