/** Agent and infrastructure outcomes are never mixed. Imports nothing: workflows use it. */

export const RUN_STATUSES = [
  'queued',
  'waiting_gpu',
  'waiting_host',
  'starting',
  'running',
  'finishing',
  'ended',
] as const;
/** Waiting does not count as the run's time; `ended` is final and has an end reason. */
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
  'refusal',
  'forfeit',
  'exit',
  'provider_refused',
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
 * `api`, `runtime`, `unknown` occur only on imported runs: the provider, or the harness or
 * container failed, or nothing was recorded. `exit`: a program ended without `submit`.
 * `provider_refused`: the provider answered calls of the run, then refused one, and its repetition.
 * `infra_error`, `config_error` do not affect scores, but count in the leaderboard's denominator.
 */
export type EndReason = (typeof END_REASONS)[number];

/** Finish reasons of replies in which the model, or its provider's policy, refused to answer. */
export const REFUSALS: readonly string[] = ['refusal', 'content_filter'];

/** Not the agent's fault. */
export const UNSCORED_ENDS: readonly EndReason[] = ['budget', 'cancelled', 'config_error', 'infra_error'];

export const FINAL_EVALUATIONS = ['ok', 'no_artefact', 'rejected', 'evaluator_error', 'not_run'] as const;
/** At submit or at a forced end. */
export type FinalEvaluation = (typeof FINAL_EVALUATIONS)[number];

const FORCED_CAUSE: Partial<Record<EndReason, string>> = {
  max_steps: 'max_steps',
  context: 'exit_context',
  cost: 'exit_cost',
  tokens: 'exit_cost',
  budget: 'exit_cost',
  format: 'exit_format',
  refusal: 'exit_format',
  exit: 'exit_error',
  wall_time: 'wall_time',
  deadline: 'wall_time',
  provider_refused: 'exit_api',
  api: 'exit_api',
  runtime: 'exit_error',
};

/**
 * MLGym's exit status for the same outcome, for comparison with its published runs. Empty for ends
 * that MLGym lacks (cancelled, infra_error, config_error, unknown).
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
