-- What tables and columns are for; docs/reference/schema.md shows it.

comment on table agent_configs is 'Prompts and parsers by content hash.';

comment on table artifacts is 'Bytes by SHA-256; they lie in the artifact store.';

comment on table baselines is 'Score of the starter code of a task version.';

comment on table batches is 'What was submitted together. status: queued, running, ended, cancelled.';
comment on column batches.priority is '1 (first) to 5 (last), where batches compete for GPUs and providers.';
comment on column batches.charged_usd is 'Of a batch with a budget: confirmed costs, and the reservations of calls whose answer is open or was lost.';
comment on column batches.paused_at is 'Since then no run is started; null: the batch is not paused.';
comment on column batches.verification is 'It plays tasks for `bench tasks verify`: its runs rank in its own leaderboard alone.';
comment on column batches.training is 'Trainers play its runs, as episodes: they rank in its own leaderboard alone.';
comment on column batches.origin is 'As that of its runs: bench, mlgym or import. Of the latter two it has no workflow.';

comment on table comparison_sets is 'Saved comparisons: models, tasks, k, axis and options of a leaderboard whose figures no new model or task may change.';
comment on column comparison_sets.axis is 'Length of the profiles'' axis, in log10 units of the ratio to the best.';
comment on column comparison_sets.contracts is 'Of the tasks, in their order: runs of another contract are no part of it.';
comment on column comparison_sets.sample is 'Of runs on sample data, and of tasks that need no data; false: of runs on real data, and of those.';
comment on column comparison_sets.profile is 'Of runs under this profile, and of tasks that do not have it; default: the task''s own budget.';
comment on column comparison_sets.baselines is 'Of the tasks, in their order, as they were when it was saved; null: the task had none.';
comment on column comparison_sets.include_imported is 'Rows of isolation import rank too.';

comment on table episode_actions is 'What trainers did in episodes: each action answers one turn of its run.';
comment on column episode_actions.seq is 'From 1, by the trainer.';
comment on column episode_actions.action is '{command}, {reply}, or {malformed}: what could not be read.';
comment on column episode_actions.policy_version is 'Of the policy that chose it, as the trainer says.';
comment on column episode_actions.outcome is 'As the trainer is told it, every time; null: not known yet.';

comment on table episodes is 'Runs that trainers play, and what trainers said of them.';
comment on column episodes.episode_id is 'The trainer''s own id, else the run''s.';
comment on column episodes.door is 'The protocol that it was reset by: rest.';
comment on column episodes.reset is 'The reset as it was asked for.';
comment on column episodes.reward is 'How it is rewarded, as episode_rewards() takes it.';
comment on column episodes.group_key is 'Episodes that are compared with each other.';
comment on column episodes.policy_version is 'Of the last action that stated one, else of the reset.';
comment on column episodes.seq is 'Of the last action; 0: none.';
comment on column episodes.next_step is 'With next_try: the turn that the next action answers.';
comment on column episodes.expires_at is 'Nobody asks after it until then: it is given up.';
comment on column episodes.wanted_at is 'Since when its run should be going; null: not yet.';

comment on table evaluations is 'Clean-room evaluations of submissions. pending: begun, without a result.';
comment on column evaluations.suspect is 'The score lies outside the bounds that the task declares: kept, but not counted unless asked for.';
comment on column evaluations.from_step is 'Of a forced end: the step whose validate the submission is from; null: it was in the workspace.';
comment on column evaluations.status is 'pending: begun, without a result; with a submission: its test waits until the run''s sandbox has ended.';

comment on table events is 'Faults, retries and recoveries of runs and batches.';

comment on table hosts is 'Machines that bear runs.';
comment on column hosts.namespace_id is 'Of the Temporal namespace that its worker polls; all hosts that are up have the same.';
comment on column hosts.namespace_at is 'Name and address of that namespace, as the host has them.';

comment on table imports is 'Where imported runs came from, and what of their record has no column elsewhere.';
comment on column imports.signed_by is 'Id of the key whose signature of the run''s line was verified when it was imported; null: none.';

comment on table installation is 'Which installation of bench this database is, one row at most: a Temporal namespace serves one alone.';

comment on table integrity_marks is 'Rules that fired on ended runs (docs/concepts/integrity.md): beyond_bounds, protected_write, self_reported, no_model_call, test_beats_validation. Kept up by a trigger.';
comment on column integrity_marks.step is 'Where it shows first; null: in no single step.';
comment on column integrity_marks.version is 'integrity_rules_version() of the rules that found it.';

comment on table leases is 'GPUs held by runs, one row per device; released_at null: held. An index lets no device have two holders.';

comment on table memories is 'What agents wrote into their task''s memory, for later runs that may read it.';

comment on table model_calls is 'One row per call to a provider. (run_id, step, try) is the question, attempt counts how often it was put; at most one attempt is confirmed and only that one is in the totals of runs.';
comment on column model_calls.endpoint is 'Host and path that the call goes to; null: to no server, or not recorded.';
comment on column model_calls.error_detail is 'The error in our words: never the provider''s, which may quote a prompt or a key.';
comment on column model_calls.retry_at is 'When the question is put again after the error; null: it is not.';
comment on column model_calls.sent_at is 'Nothing of the call went out before; null: nothing has, so that its reservation is released when nobody makes it any more.';

comment on table model_configs is 'Model files by content hash, as they were at submission: prices and limits of runs.';

comment on table price_lists is 'Named lists of prices, US dollars per million tokens, for run_costs and model_costs. mlgym: those of MLGym-Bench''s tables.';

comment on table rate_accounts is 'Accounts at model providers: token buckets and limits, shared by all workers. Never holds a key.';

comment on table rate_tickets is 'Calls to providers that wait for their grant, were granted in the last half hour, or were refused for their rate in the last hour.';

comment on table recordings is 'Recorded runs by content hash, which replay: models play back.';

comment on table reservation_factors is 'Models whose answers cost more than was set aside for them: their calls set aside factor times their estimate.';

comment on table run_results is 'What find_run_results() says of each run, kept by triggers on evaluations, integrity_marks and task_versions, for leaderboards. No row: no evaluation yet.';
comment on column run_results.evaluations is 'Finished ones on the test split.';
comment on column run_results.best_attempt is 'Chosen by the validation score where the task has that split. Without suspect values, as last_attempt; …_of_all: with them.';

comment on table runs is 'One attempt of one model at one task. Ends once; end_reason says why, final_evaluation what the last evaluation came to.';
comment on column runs.best_score is 'That of its best attempt, suspect ones included; leaderboards use run_scores.';
comment on column runs.final_score is 'Primary score of the evaluation at submit or at a forced end, if that was ok.';
comment on column runs.epoch is 'Grows when the sandbox of the run had to be made anew.';
comment on column runs.replaces is 'The run that this one repeats.';
comment on column runs.forked_from is 'The run whose first steps, up to forked_at_step, this one begins with.';
comment on column runs.origin is 'Where its record is from: bench (played here), mlgym (a run directory), import (a line that another home exported). Of the latter two only the record is here.';
comment on column runs.exit_status is 'Of imported runs: the status in the words of their harness.';
comment on column runs.recorded_cost_usd is 'Of imported runs: the cost that their harness wrote, by its own price list; cost_usd is 0.';
comment on column runs.recorded_calls is 'Of imported runs: model calls as their harness counted them; they have no rows in model_calls.';
comment on column runs.integrity_version is 'Version of the rules that looked for integrity marks; null: none did yet.';
comment on column runs.answered_calls is 'Answered model calls of its own: its rows of model_calls that are confirmed.';
comment on column runs.met_budget_usd is 'The batch''s budget as it was when it had no room for a call of this run; the last one.';

comment on table snapshots is 'Workspaces kept to restore a lost sandbox: as archives, or as disks that one host has.';
comment on column snapshots.disk is 'Name of the kept disk on disk_host; null: the archive is all there is.';
comment on column snapshots.archive_wanted_at is 'Since then disk_host is to make an archive of the disk; null: nobody wants one, or none can be made.';

comment on table steps is 'What the model replied and what its command came to; observation is what it is shown next.';

comment on table submissions is 'What was copied out of a workspace when an evaluation was asked for: files, or why there are none.';
comment on column submissions.sha256 is 'Of the manifest in the artifact store.';
comment on column submissions.missing is 'Files and folders that were not there.';
comment on column submissions.refused is 'Why what was there could not be taken.';

comment on table task_integrity is 'Imported tasks whose evaluator lay in the agent''s reach: its protected files, and whether the agent writes the metric itself.';

comment on table task_versions is 'Task folders by content hash, as they were when submitted.';

comment on table turns is 'Turns of players outside of this system, people and trainers: what they are asked, and what they answered.';
comment on column turns.reply is 'As steps.response: text, or JSON with tool calls. The first answer counts; null: none yet.';
comment on column turns.tools is 'Tools that are offered to an agent that calls tools; null: none.';
