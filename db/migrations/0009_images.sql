CREATE TABLE "images" (
	"run_id" text NOT NULL,
	"image_id" text NOT NULL,
	"step" integer NOT NULL,
	"type" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "images_pkey" PRIMARY KEY("run_id","image_id"),
	CONSTRAINT "images_type" CHECK (type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
	CONSTRAINT "images_size" CHECK (octet_length("images"."bytes") between 1 and 3145728),
	CONSTRAINT "images_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "mcp_tools" jsonb;