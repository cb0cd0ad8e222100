/** How a run can end. The agent's outcomes and the infrastructure's are never mixed. Imports nothing: workflows use it. */

export const RUN_STATUSES = [
  'queued',
  'waiting_gpu',
  'waiting_host',
  'starting',
  'running',
  'finishing',
  'ended',
] as const;
/** A run's status. Waiting does not count as its time; `ended` is final and has an end reason. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const BATCH_STATUSES = ['queued', 'running', 'ended', 'cancelled'] as const;

export const END_REASONS = [
  'submit',
  'max_steps',
  'context',
  'cost',
  'tokens',
  'budget',
  'format',
  'forfeit',
  'exit',
  'wall_time',
  'deadline',
  'api',
  'runtime',
  'unknown',
  'cancelled',
  'config_error',
  'infra_error',
] as const;
/**
 * Why a run ended. `api`, `runtime` and `unknown` occur only on imported runs: the provider failed, the harness or container broke,
 * or nothing was recorded. `exit`: a program that plays by itself ended without `submit`. `infra_error` and `config_error` are never the agent's failure: they do not affect its scores, but show
 * in the leaderboard's denominator. `cancelled` and `budget` are a person's decision.
 */
export type EndReason = (typeof END_REASONS)[number];

/** Ends that are not the agent's fault: unscored. */
export const UNSCORED_ENDS: readonly EndReason[] = ['budget', 'cancelled', 'config_error', 'infra_error'];

export const FINAL_EVALUATIONS = ['ok', 'no_artefact', 'rejected', 'evaluator_error', 'not_run'] as const;
/** Outcome of the final evaluation, at submit or at a forced end. */
export type FinalEvaluation = (typeof FINAL_EVALUATIONS)[number];

const FORCED_CAUSE: Partial<Record<EndReason, string>> = {
  max_steps: 'max_steps',
  context: 'exit_context',
  cost: 'exit_cost',
  tokens: 'exit_cost',
  budget: 'exit_cost',
  format: 'exit_format',
  exit: 'exit_error',
  wall_time: 'wall_time',
  deadline: 'wall_time',
  api: 'exit_api',
  runtime: 'exit_error',
};

/**
 * The exit-status string that MLGym would have written for the same outcome, for comparison with its published runs.
 * Empty for ends that MLGym does not know (cancelled, infra_error, config_error, unknown).
 */
export function mlgymExitStatus(endReason: EndReason, finalEvaluation: FinalEvaluation): string {
  if (endReason === 'forfeit') return 'exit_forfeit';
  const cause = endReason === 'submit' ? 'submit' : FORCED_CAUSE[endReason];
  if (cause === undefined) return '';
  switch (finalEvaluation) {
    case 'ok':
      return endReason === 'submit' ? 'submitted' : `autosubmission (${cause})`;
    case 'no_artefact':
      return `submission_not_found (${cause})`;
    case 'rejected':
    case 'evaluator_error':
      return `evaluation_format_error (${cause})`;
    case 'not_run':
      return '';
  }
}
