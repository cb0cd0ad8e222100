ALTER TABLE "batches" RENAME COLUMN "paused_because" TO "pause_reason";
--> statement-breakpoint
ALTER TABLE "hosts" RENAME COLUMN "ends_at" TO "leaves_at";
--> statement-breakpoint
ALTER TABLE "hosts" RENAME COLUMN "paused" TO "pause_reason";
--> statement-breakpoint
ALTER TABLE "program_steps" RENAME COLUMN "client_gone" TO "client_disconnected";
--> statement-breakpoint
ALTER TABLE "program_steps" RENAME COLUMN "handed_out_at" TO "delivered_at";
--> statement-breakpoint
ALTER TABLE "snapshots" RENAME COLUMN "archive_wanted_at" TO "archive_requested_at";
--> statement-breakpoint
-- By hand: values in JSON that have other names now.
update batches set allocation = jsonb_set(allocation, '{state}', '"max_attempts"') where allocation ->> 'state' = 'most';
--> statement-breakpoint
update recordings set content = (content - 'leftOut') || jsonb_build_object('omitted', content -> 'leftOut')
where content ? 'leftOut';
--> statement-breakpoint
update imports set remarks = (
  select jsonb_agg(
    case r.remark ->> 'level'
      when 'odd' then jsonb_set(r.remark, '{level}', '"warning"')
      when 'failed' then jsonb_set(r.remark, '{level}', '"error"')
      else r.remark
    end order by r.place
  )
  from jsonb_array_elements(remarks) with ordinality r (remark, place)
) where jsonb_typeof(remarks) = 'array' and remarks <> '[]';
