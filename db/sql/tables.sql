-- What tables and columns are for; docs/reference/schema.md shows it.

comment on table agent_configs is 'Prompts and parsers by content hash.';

comment on table artifacts is 'Bytes by SHA-256; they lie in the artifact store.';

comment on table starter_submissions is 'Submissions that are the starter.';
comment on table baselines is 'Score of the starter code of a task version.';
comment on column baselines.standard_error is 'Of one evaluation: stated, or the deviation of the starter''s measured scores.';
comment on column baselines.runs is 'Runs of scripted:baseline that measured it, the first its value; null: it is stated.';

comment on table batches is 'Runs submitted together. status: queued, running, ended, cancelled.';
comment on column batches.project is 'Project of the batch: names of batches are unique in it.';
comment on column batches.priority is '1 (first) to 5 (last), when batches compete for GPUs and providers.';
comment on column batches.charged_usd is 'With a budget: confirmed costs, plus reservations of calls whose answer is pending or lost.';
comment on column batches.forecast is 'Cost (US dollars), tokens and hours expected at submit: low, expected, high; null: no forecast.';
comment on column batches.allocation is 'With --attempts auto: confidence, maximum attempts, and the last decision; null: the attempts are fixed.';
comment on column batches.paused_at is 'When it was paused: no run is started since; null: not paused.';
comment on column batches.pause_reason is 'Why it paused itself; null: it did not.';
comment on column batches.breaker is 'Runs that end in a row by one cause before it pauses itself; null: it never does.';
comment on column batches.failing_cause is 'What ended its last runs; null: they ended otherwise.';
comment on column batches.failing_runs is 'How many runs in a row that was.';
comment on column batches.verification is 'Made by `bench tasks verify`: its runs rank only in its own leaderboard.';
comment on column batches.parent_batch is 'Its runs are nodes of a search tree of that batch, of whose budget they spend: they rank nowhere; null: they are not.';
comment on column batches.archived_at is 'When it was archived: lists and leaderboards over all batches omit it; null: it is not.';
comment on column batches.note is 'What people noted about it.';
comment on column batches.tags is 'Words that people gave it.';
comment on column batches.training is 'Trainers play its runs, as episodes: they rank in its own leaderboard alone.';
comment on column batches.origin is 'Origin of its runs: bench, mlgym or import. The latter two have no workflow.';

comment on table captured_calls is 'Tokens of the answers to model calls of rollouts, as the server sent them, until the rollout is acknowledged.';
comment on column captured_calls.level is 'The level of capture that the endpoint delivered.';
comment on column captured_calls.token_ids is 'Sampled; as many as logprobs.';
comment on column captured_calls.request is '{messages, tools, sampling}, as sent.';

comment on table saved_comparisons is 'Saved comparisons: models, tasks, k, axis and options of a leaderboard that new models and tasks do not change.';
comment on column saved_comparisons.options is 'models, tasks, contracts, baselines, standardErrors, targets, k, axis, mode, metric, include, sample, profile, batchId: all that its leaderboard compares, and by which rules.';

comment on table deleted_runs is 'Costs of runs that `bench runs delete` or `bench batches delete` removed.';
comment on column deleted_runs.lost_usd is 'Reservations of calls whose answers were lost, and which may be billed.';
comment on column deleted_runs.imported is 'Played elsewhere: another home paid it.';

comment on table episode_actions is 'Trainers'' actions in episodes, each the answer to one turn.';
comment on column episode_actions.seq is 'From 1, by the trainer.';
comment on column episode_actions.action is '{command}, {reply}, or {malformed}: what could not be read.';
comment on column episode_actions.policy_version is 'Of the policy that chose it, as the trainer says.';
comment on column episode_actions.printed is 'The end of what its command had printed when the trainer received `running`.';
comment on column episode_actions.interrupted_at is 'When the trainer asked to interrupt its command.';
comment on column episode_actions.delivered_at is 'When the client had read the outcome; null: it may be lost.';
comment on column episode_actions.outcome is 'What the trainer receives, every time; null: not known yet.';

comment on table episodes is 'Runs that trainers play, with their requests.';
comment on column episodes.episode_id is 'The trainer''s own id, else the run''s.';
comment on column episodes.protocol is 'The protocol that it was reset by: rest.';
comment on column episodes.reset is 'The reset as it was asked for.';
comment on column episodes.reward is 'How it is rewarded, as episode_rewards() takes it.';
comment on column episodes.group_key is 'Episodes that are compared with each other.';
comment on column episodes.session is 'SHA-256 of the client''s session key, where its protocol has sessions.';
comment on column episodes.policy_version is 'Of the last action that stated one, else of the reset.';
comment on column episodes.seq is 'Of the last action; 0: none.';
comment on column episodes.next_step is 'With next_try: the turn that the next action answers.';
comment on column episodes.max_validations is 'How often validate is scored; null: as often as it is asked for.';
comment on column episodes.expires_at is 'When it is abandoned, unless a client polls it.';
comment on column episodes.detached_at is 'Since when its client is gone; null: it is there.';
comment on column episodes.reset_ms is 'How long the reset took, with the wait for a place.';
comment on column episodes.requested_at is 'Since when its run should be going; null: not yet.';

comment on table evaluations is 'Evaluations of submissions in fresh containers. pending: started, without a result; not_run: the run ended first.';
comment on column evaluations.suspect is 'The score lies outside the task''s bounds: stored, but counted only on request.';
comment on column evaluations.unchanged is 'The submission is the starter.';
comment on column evaluations.from_step is 'At a forced end: step whose validate the submission comes from; null: the workspace.';
comment on column evaluations.status is 'pending: started, without a result; with a submission: its test waits until the run''s sandbox has ended. not_run: the run ended before it had a result.';

comment on table evaluator_key is 'Key of the evaluators'' seeds, one row; bench_worker alone may read it.';

comment on table events is 'Faults, retries and recoveries of runs and batches.';

comment on table host_invitations is 'Machines that may join: each has a user of the database, whose password was the token.';
comment on column host_invitations.expires_at is 'Until when a machine may join by it; one that joined stays.';
comment on column host_invitations.joined_at is 'When a machine joined and changed the password; null: not yet.';

comment on table hosts is 'Machines that execute runs.';
comment on column hosts.database_user is 'The database''s user that its worker is.';
comment on column hosts.cut_off_at is 'Since when it registers without reaching Temporal; null: it reaches both servers.';
comment on column hosts.leaves_at is 'When it leaves; null: it stays.';
comment on column hosts.leaving_at is 'Since when it hands over its runs, to leave.';
comment on column hosts.namespace_id is 'Temporal namespace that its worker polls; the same on all hosts that are up.';
comment on column hosts.namespace_at is 'Name and address of that namespace, as the host sees them.';

comment on table images is 'Image files that agents looked at, once a run; lines of observations name them.';
comment on column images.image_id is 'First 16 hexadecimal digits of the SHA-256 of its bytes.';
comment on column images.step is 'The first step in which the agent looked at it.';

comment on table imports is 'Where imported runs came from, and what of their record has no other column.';
comment on column imports.footers is 'What the model was shown after each step''s observation; null: not kept.';
comment on column imports.signed_by is 'Id of the key whose signature of the run''s line was verified at import; null: none.';

comment on table installation is 'Id of this installation of bench, at most one row. A Temporal namespace serves one installation.';

comment on table integrity_flags is 'Rules that fired on ended runs (docs/concepts/integrity.md): beyond_bounds, protected_write, self_reported, made_up_answers, untouched_starter, read_answers, no_model_call, other_model, test_beats_validation. Kept up by a trigger.';
comment on column integrity_flags.step is 'First step where it shows; null: no single step.';
comment on column integrity_flags.until is 'Last step whose score it makes suspect; null: all from its first step on.';
comment on column integrity_flags.version is 'integrity_rules_version() of the rule that found it.';

comment on table leaderboard_figures is 'Headlines and intervals of compared attempts, under a hash of all that they are computed from: a cache of the newest.';

comment on table leases is 'GPUs held by runs, one row per device; released_at null: held. An index ensures that no device has two holders.';

comment on table memories is 'Notes of agents in their task''s memory, for later runs with memory.';

comment on table live_outputs is 'What commands of watched runs have printed so far, their end alone. Unlogged, and a copy: outcomes are in steps.';
comment on column live_outputs.workers is 'Workers that have executed the command: more than one after a death.';

comment on table model_calls is 'One row per call to a provider. (run_id, step, try) is the question, attempt counts its repetitions. At most one attempt is confirmed, and only that one is in the totals of runs.';
comment on column model_calls.endpoint is 'Host and path of the call; null: no server, or not recorded.';
comment on column model_calls.error_detail is 'The error in our words: never the provider''s, which may quote a prompt or a key.';
comment on column model_calls.reasoning is 'As steps.reasoning, of requeries too.';
comment on column model_calls.retry_at is 'When the call is retried after the error; null: it is not.';
comment on column model_calls.sent_at is 'When the request was sent; null: nothing was sent, so the reservation is released when the call is abandoned.';

comment on table model_configs is 'Model files by content hash, as submitted: prices and limits of runs.';

comment on table price_lists is 'Named price lists, US dollars per million tokens, for run_costs and model_costs. mlgym: those of MLGym-Bench''s tables.';

comment on table rate_accounts is 'Accounts at model providers: token buckets and limits, shared by all workers. Never holds a key.';

comment on table rate_tickets is 'Model calls that wait for their grant, were granted in the last half hour, or were refused because of their rate in the last hour.';

comment on table recordings is 'Recorded runs by content hash, played by replay: models.';

comment on table reservation_factors is 'Models that billed more than was reserved: their later calls reserve factor times the estimate.';

comment on table run_results is 'Stored result of find_run_results() for each run, for leaderboards; kept current by triggers on evaluations, integrity_flags and task_versions. No row: no evaluation yet.';
comment on column run_results.evaluations is 'Finished ones on the test split.';
comment on column run_results.best_attempt is 'Chosen by the validation score where the task has that split. Without suspect values, as last_attempt; …_of_all: with them.';

comment on table rollouts is 'Episodes that bench plays, with a trainer''s endpoint as the model.';
comment on column rollouts.capture is 'What is asked of the endpoint about tokens: tokens, logprobs or text.';
comment on column rollouts.sealed is 'The endpoint''s key and headers, encrypted with the installation''s key; null: none, or the rollout has ended.';
comment on column rollouts.end_sequence is 'Place among the ends in the order of their delivery, from 1; null: not delivered yet.';

comment on table runs is 'One attempt of one model at one task. Ends once; end_reason says why, final_evaluation is the outcome of the final evaluation.';
comment on column runs.mcp_tools is 'Tools of the agent''s MCP servers, as listed when the run started; null: it has none.';
comment on column runs.best_score is 'Score of its best attempt, including suspect ones; leaderboards use run_scores.';
comment on column runs.final_score is 'Primary score of the evaluation at submit or at a forced end, if that was ok.';
comment on column runs.epoch is 'Incremented when the run gets a new sandbox.';
comment on column runs.replaces is 'The run that this one repeats.';
comment on column runs.forked_from is 'The run with whose first steps, up to forked_at_step, this one begins.';
comment on column runs.origin is 'Where its record comes from: bench (played here), mlgym (a run directory), import (a line exported by another home). The latter two cannot be continued.';
comment on column runs.exit_status is 'Imported runs: the status in the words of their harness.';
comment on column runs.recorded_cost_usd is 'Imported runs: the cost recorded by their harness, by its own price list; cost_usd is 0.';
comment on column runs.recorded_calls is 'Imported runs: model calls as counted by their harness; they have no rows in model_calls.';
comment on column runs.integrity_version is 'Version of the integrity rules that checked the run; null: not checked yet.';
comment on column runs.answered_calls is 'Its answered model calls: confirmed rows of model_calls.';
comment on column runs.refused_usd is 'What the next call might cost, when the cost limit of the run had no room for it; null: it always had.';
comment on column runs.note is 'What people noted about it.';
comment on column runs.tags is 'Words that people gave it.';
comment on column runs.met_budget_usd is 'The batch''s budget when it last had no room for a call of this run.';

comment on table snapshots is 'Workspaces kept to restore a lost sandbox: as archives, or as disks that one host has.';
comment on column snapshots.disk is 'Name of the kept disk on disk_host; null: the archive is all there is.';
comment on column snapshots.archive_requested_at is 'Since when disk_host shall archive the disk; null: not wanted, or impossible.';

comment on table steps is 'The model''s reply and the outcome of its command; observation is what the model sees next.';
comment on column steps.reasoning is 'What the model wants back with its tool calls: JSON with its provider and name, opaque reasoning, signatures; null: it called no tool.';

comment on table submissions is 'What an evaluation took from a workspace: files, or why none.';
comment on column submissions.sha256 is 'SHA-256 of the manifest in the artifact store.';
comment on column submissions.missing is 'Missing files and folders.';
comment on column submissions.refused is 'Why existing files were refused.';

comment on table task_integrity is 'Imported tasks whose evaluator the agent could reach: protected files, the starter''s submission, files with answers, and whether the agent writes the metric itself.';

comment on table sealing_key is 'Key of trainers'' credentials, one row; bench_app and bench_worker may read it.';

comment on table task_archives is 'Where frozen tasks lie in the artifact store, for hosts without them.';

comment on table task_versions is 'Task folders by content hash, as submitted.';

comment on table notifications is 'Outbox of the webhook, which workers empty.';
comment on column notifications.key is 'Which of its kind: when the batch ended, the budget that it met, when it last moved.';
comment on column notifications.due_at is 'Time of the next try.';
comment on column installation.notify_from is 'Since when the webhook is notified; null: none is set.';
comment on table turns is 'Turns of people and trainers: requests and replies.';
comment on column turns.reply is 'As steps.response: text, or JSON with tool calls. The first answer counts; null: none yet.';
comment on column turns.tools is 'Tools offered to an agent that calls tools; null: none.';

comment on table watched_runs is 'Runs whose output is watched, until when; workers copy it to live_outputs.';

comment on table warm_sandboxes is 'Sandboxes started ahead for episodes, each under its future run''s id.';
comment on column warm_sandboxes.key is 'What the sandbox must have in common with the run''s own.';
comment on column warm_sandboxes.claimed_at is 'When an episode took the id; null: not yet.';

comment on table warm_requests is 'Sandboxes that episodes requested, and when last.';

comment on table program_steps is 'What the steps of a program are: calls through the gateway, validations, its end.';
comment on column program_steps.key is 'Names the call, validation or end: a repetition takes no other step.';
comment on column program_steps.agent is 'Which of the program''s agents asked; empty: its only one.';
comment on column program_steps.wire is 'openai-chat, openai-responses or anthropic; null: no call.';
comment on column program_steps.fingerprint is 'Of the request, without what clients change when they repeat it.';
comment on column program_steps.answer is 'The provider''s whole answer.';
comment on column program_steps.client_disconnected is 'The client''s connection broke before it had all of the answer.';
comment on column program_steps.delivered_at is 'When a repeated request received the answer; null: never.';
comment on column program_steps.epoch is 'The container that it was asked in.';
comment on column program_steps.likeness is 'Of the request, without dates, ids and durations: finds the answers of a restarted program.';
comment on column program_steps.request is 'What was sent; {"$part": hash} stands for a row of program_parts.';
comment on column program_steps.replayed_epoch is 'The last container that received the answer again; null: none.';
comment on column program_steps.abandoned is 'Whether the restarted program made other requests.';

comment on table program_parts is 'Long parts of the requests of programs, each once a run.';
comment on column program_parts.hash is 'SHA-256 of the part as JSON with sorted keys.';

comment on table program_counts is 'Token counts that programs requested: free, and no steps.';
comment on column program_counts.epoch is 'The container that it was asked in.';
comment on column program_counts.agent is 'Which of the program''s agents asked; empty: its only one.';
comment on column program_counts.fingerprint is 'Of the request, without what clients change when they repeat it.';
comment on column program_counts.likeness is 'Of the request, without dates, ids and durations.';
comment on column program_counts.request is 'What was sent; {"$part": hash} stands for a row of program_parts.';
comment on column program_counts.answer is 'The provider''s answer.';

comment on table trees is 'Runs that play a tree of forks: limits and outcome. The run is the whole tree''s attempt.';
comment on column trees.batch_id is 'The batch of its nodes'' runs.';
comment on column trees.seconds_limit is 'Of models and commands, over all nodes; 0: no limit; so with token_limit.';
comment on column trees.stopped is 'Why it opened no more nodes: policy, lost (too many lost nodes), nodes, validations, cost, tokens, seconds, budget (the batch''s); null: it continues.';
comment on column trees.selected_node is 'The node whose result is the tree''s: the best by validation, tested once; null: none, or not known yet.';

comment on table tree_nodes is 'Nodes of search trees, each a run; parent and second_parent are its edges.';
comment on column tree_nodes.wave is 'From 1; the nodes of a wave are played at once.';
comment on column tree_nodes.operator is 'draft, improve, debug, crossover or ensemble.';
comment on column tree_nodes.second_parent is 'Of a crossover: its second parent; of an ensemble: the best of the other nodes.';
comment on column tree_nodes.note is 'Of a draft: what follows the task in its prompt; null: nothing.';
comment on column tree_nodes.status is 'open, scored, failed (nothing to score, or its parent''s submission again), lost (nothing to continue from).';
comment on column tree_nodes.value is 'On validation, higher is better whatever the task''s direction.';
comment on column tree_nodes.reserved_usd is 'What it may use at most, charged to the tree while it is open; null: no limit. Of tokens and seconds 0 is none.';
comment on column tree_nodes.spent_usd is 'What it used, lost answers as reserved; null: not settled.';

comment on table schedules is 'Batches that are submitted at times of a cron expression.';
comment on column schedules.cron is 'In UTC, unless it begins with CRON_TZ=.';
comment on column schedules.overlap is 'At a time at which the last batch has not ended: skip, buffer-one, buffer-all, allow-all.';
comment on column schedules.next_at is 'When it is due next, as Temporal last said; null: never, or paused.';
comment on column schedules.request is 'Of bench submit, with its defaults.';

comment on table schedule_runs is 'Batches of schedules, each compared with the last accepted one before it.';
comment on column schedule_runs.due_at is 'The time of the schedule, also if a backfill submitted the batch later.';
comment on column schedule_runs.batch_id is 'null: it could not be submitted.';
comment on column schedule_runs.base_batch_id is 'What it was compared with; null: nothing.';
comment on column schedule_runs.outcome is 'first (nothing to compare with), better, not_worse, undecided, worse, failed (not submitted); null: its runs have not ended.';
comment on column schedule_runs.accepted is 'Whether later batches are compared with it.';
comment on column schedule_runs.detail is 'The verdict, or why there is none.';
