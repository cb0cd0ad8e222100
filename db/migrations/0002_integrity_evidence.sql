ALTER TABLE "integrity_marks" DROP CONSTRAINT "integrity_marks_rule";--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD COLUMN "until" integer;--> statement-breakpoint
ALTER TABLE "task_integrity" ADD COLUMN "starter_files" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "task_integrity" ADD COLUMN "answer_files" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD CONSTRAINT "integrity_marks_rule" CHECK (rule in ('beyond_bounds', 'protected_write', 'self_reported', 'made_up_answers', 'untouched_starter', 'read_answers', 'no_model_call', 'test_beats_validation'));--> statement-breakpoint
-- The games and 3-SAT score a file that the starter brings; 3-SAT's evaluator takes formulas and their answers from the agent's data.
update task_integrity set starter_files = '{strategy.py}' where contract = 0 and task_id in ('battleOfSexes', 'prisonersDilemma', 'blotto');
--> statement-breakpoint
update task_integrity set starter_files = '{heuristic.py}', answer_files = '{data/dataset.pkl}' where contract = 0 and task_id = '3SATTime';
