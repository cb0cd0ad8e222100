ALTER TABLE "integrity_marks" DROP CONSTRAINT "integrity_marks_rule";--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD COLUMN "until" integer;--> statement-breakpoint
ALTER TABLE "task_integrity" ADD COLUMN "starter_files" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "task_integrity" ADD COLUMN "answer_files" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "integrity_marks" ADD CONSTRAINT "integrity_marks_rule" CHECK (rule in ('beyond_bounds', 'protected_write', 'self_reported', 'made_up_answers', 'untouched_starter', 'read_answers', 'no_model_call', 'test_beats_validation'));--> statement-breakpoint
-- US dollars per million tokens, as MLGym's analysis has them: one rate per direction, whatever the day.
insert into price_lists (list, model, input_usd, output_usd) values
  ('mlgym', 'gpt4o2', 2.50, 10.00),
  ('mlgym', 'gpt-o1', 15.00, 60.00),
  ('mlgym', 'gpt-o3-mini', 1.10, 4.40),
  ('mlgym', 'claude-35-sonnet-new', 3.00, 15.00),
  ('mlgym', 'claude-37-sonnet', 3.00, 15.00),
  ('mlgym', 'deepseek-r1', 0.55, 2.19),
  ('mlgym', 'gemini-15-pro', 1.25, 5.00),
  ('mlgym', 'gemini-20-flash-thinking', 0.10, 0.40),
  ('mlgym', 'gemini-20-pro', 1.25, 5.00),
  ('mlgym', 'gemini-25-pro', 1.25, 10.00),
  ('mlgym', 'llama3-405b-tools', 3.50, 3.50),
  ('mlgym', 'llama4-17b-16', 0.18, 0.59),
  ('mlgym', 'llama4-17b-128', 0.27, 0.85)
on conflict do nothing;
--> statement-breakpoint
-- MLGym's evaluators lie in the agent's workspace, and some import an opponent or a solver from there; COCO's averages a column that the agent
-- wrote. The games and 3-SAT score a file that the starter brings; 3-SAT's evaluator takes formulas and their answers from the agent's data.
insert into task_integrity (task_id, contract, protected_files, self_reported, starter_files, answer_files) values
  ('regressionKaggleHousePrice', 0, '{evaluate.py}', false, '{}', '{}'),
  ('3SATTime', 0, '{evaluate.py,solver.py}', false, '{heuristic.py}', '{data/dataset.pkl}'),
  ('imageClassificationCifar10', 0, '{evaluate.py}', false, '{}', '{}'),
  ('imageClassificationFMnist', 0, '{evaluate.py}', false, '{}', '{}'),
  ('imageCaptioningCOCO', 0, '{evaluate.py}', true, '{}', '{}'),
  ('languageModelingFineWeb', 0, '{evaluate.py}', false, '{}', '{}'),
  ('naturalLanguageInferenceMNLI', 0, '{evaluate.py}', false, '{}', '{}'),
  ('battleOfSexes', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('prisonersDilemma', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('blotto', 0, '{evaluate.py,target.py}', false, '{strategy.py}', '{}'),
  ('rlBreakoutMinAtar', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}'),
  ('rlMetaMazeMisc', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}'),
  ('rlMountainCarContinuous', 0, '{evaluate.py,src/evaluate.py}', false, '{}', '{}')
on conflict (task_id, contract) do update set starter_files = excluded.starter_files, answer_files = excluded.answer_files;
