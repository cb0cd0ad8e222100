CREATE TABLE "submissions" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"kind" text NOT NULL,
	"sha256" text,
	"missing" text[],
	"refused" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "submissions_pkey" PRIMARY KEY("run_id","step","kind"),
	CONSTRAINT "submissions_kind" CHECK (kind in ('validate', 'submit', 'forced', 'baseline')),
	CONSTRAINT "submissions_one" CHECK (num_nonnulls(sha256, missing, refused) = 1)
);
--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_run_id_runs_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("run_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
comment on table submissions is 'What was copied out of a workspace when an evaluation was asked for: files, or why there are none.';--> statement-breakpoint
comment on column submissions.sha256 is 'Of the manifest in the artifact store.';--> statement-breakpoint
comment on column submissions.missing is 'Files and folders that were not there.';--> statement-breakpoint
comment on column submissions.refused is 'Why what was there could not be taken.';--> statement-breakpoint
comment on table rate_tickets is 'Calls to providers that wait for their grant, were granted in the last half hour, or were refused for their rate in the last hour.';
