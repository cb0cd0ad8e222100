CREATE TABLE "starter_submissions" (
	"content_hash" text NOT NULL,
	"sha256" text NOT NULL,
	CONSTRAINT "starter_submissions_pkey" PRIMARY KEY("content_hash","sha256"),
	CONSTRAINT "starter_submissions_content_hash_task_versions_content_hash_fk" FOREIGN KEY ("content_hash") REFERENCES "public"."task_versions"("content_hash") ON DELETE no action ON UPDATE no action
);
--> statement-breakpoint
ALTER TABLE "integrity_marks" DROP CONSTRAINT "integrity_marks_rule";
--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "unchanged" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD CONSTRAINT "integrity_marks_rule" CHECK (rule in ('beyond_bounds', 'protected_write', 'self_reported', 'made_up_answers', 'untouched_starter', 'read_answers', 'no_model_call', 'test_beats_validation', 'same_image', 'in_process', 'live', 'tried'));
--> statement-breakpoint
-- By hand: what was played before.
insert into starter_submissions (content_hash, sha256)
select distinct r.task_hash, e.submission_sha256
from runs r join evaluations e on e.run_id = r.run_id
where r.model_kind = 'scripted' and r.model_name = 'scripted:baseline' and r.forked_from is null
  and e.kind = 'submit' and e.split = 'test' and e.status = 'ok' and e.submission_sha256 is not null;
--> statement-breakpoint
update evaluations e set unchanged = true
from runs r join starter_submissions s on s.content_hash = r.task_hash
where e.run_id = r.run_id and e.submission_sha256 = s.sha256
  and not (r.model_kind = 'scripted' and r.model_name = 'scripted:baseline');
