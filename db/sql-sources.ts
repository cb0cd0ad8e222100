import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SQL_FOLDER = fileURLToPath(new URL('../db/sql', import.meta.url));

/** In order of dependency: each file uses tables and files above it. */
export const SQL_ORDER = [
  'tables', // only comments
  'announce_progress',
  'announce_answer',

  'target_of',
  'attempt_gain',
  'score_cell',
  'performance_ratios',
  'profile_axis',
  'performance_profiles',
  'areas_under_profiles',
  'comparison_ranks',
  'average_ranks',

  'mlgym_exit_status',
  'exit_labels',
  'exit_of',
  'run_exits',
  'batch_exits',
  'action_category',
  'action_category_strict',
  'step_actions',
  'run_tokens',
  'run_costs',
  'model_costs',

  'task_contract_agrees',
  'integrity_rules_version',
  'shell_writes',
  'edit_succeeded',
  'step_changes',
  'made_up_values',
  'find_run_results',
  'scored_submissions',
  'cheating_attempts',
  'find_integrity_flags',
  'flag_integrity',
  'flag_ended_run',
  'release_unsent',
  'close_calls',
  'close_ended_run',

  'refresh_run_results',
  'note_unchanged',
  'starter_known',
  'baseline_measured',
  'evaluations_changed',
  'flags_changed',
  'task_version_changed',

  'score_runs',
  'run_scores',
  'versions_under',
  'is_own_attempt',
  'leaderboard_scores',
  'leaderboard_entries',
  'overall_leaderboard_entries',
  'leaderboard_score',
  'leaderboard',
  'compared_cells',
  'rank_models',
  'baseline_ranks',
  'leaderboard_models',
  'leaderboard_cells',
  'leaderboard_gains',

  'tree_node_results',
  'tree_totals',

  'evaluation_gains',
  'checked_reward',
  'tier_thresholds',
  'episode_rewards',
  'episode_returns',

  'action_rewards',
  'episode_times',
  'measure_episodes',
  'episode_metrics',
  'group_episodes',
  'episode_groups',
  'measure_policies',
  'policy_metrics',
  'episode_states',
] as const;

export interface SqlSource {
  name: string;
  text: string;
}

export interface SqlVersion {
  /** Raised with each change, to tell the older of two programs. */
  version: number;
  hash: string;
}

export const sqlSources = (): SqlSource[] =>
  SQL_ORDER.map((name) => ({ name, text: readFileSync(join(SQL_FOLDER, `${name}.sql`), 'utf8') }));

export const hashOf = (sources: readonly SqlSource[]): string =>
  createHash('sha256')
    .update(JSON.stringify(sources.map(({ name, text }) => [name, text])))
    .digest('hex');

/** Of db/sql/version.json; a test compares its hash with the files. */
export const declaredVersion = (): SqlVersion =>
  JSON.parse(readFileSync(join(SQL_FOLDER, 'version.json'), 'utf8')) as SqlVersion;

/** Hashes the actual files, so an edit takes effect at the next command. */
export const versionOf = (sources: readonly SqlSource[]): SqlVersion => ({
  version: declaredVersion().version,
  hash: hashOf(sources),
});

/** `newer`: made by a later program. `behind`: to be (re)created. */
export function compareSql(known: SqlVersion, stored: SqlVersion | undefined): 'current' | 'behind' | 'newer' {
  if (stored?.hash === known.hash) return 'current';
  return stored !== undefined && stored.version > known.version ? 'newer' : 'behind';
}
