import type { EndReason, FinalEvaluation } from '../run/outcomes.js';

export interface MlgymEnd {
  endReason: EndReason;
  finalEvaluation: FinalEvaluation;
  /** As MLGym's reports count it: empty is `unknown_error (<last action>)`; null: none written. */
  exitStatus: string | null;
}

const CAUSES: Readonly<Record<string, EndReason>> = {
  submit: 'submit',
  max_steps: 'max_steps',
  exit_context: 'context',
  exit_cost: 'cost',
  exit_format: 'format',
  exit_api: 'api',
  exit_error: 'runtime',
  // Ours, from `bench export`.
  wall_time: 'wall_time',
};
const FINAL: Readonly<Record<string, FinalEvaluation>> = {
  autosubmission: 'ok',
  submission_not_found: 'no_artefact',
  evaluation_format_error: 'rejected',
};

/** An action may be a whole file: this part becomes the status. */
const ACTION_CHARACTERS = 500;

/** `raw` null: no trajectory was written. `lastAction` replaces an empty status. */
export function readExitStatus(raw: string | null, lastAction: string | null): MlgymEnd {
  if (raw === null) return { endReason: 'unknown', finalEvaluation: 'not_run', exitStatus: null };
  if (raw === '') {
    const action = (lastAction ?? '').trim().slice(0, ACTION_CHARACTERS);
    return { endReason: 'runtime', finalEvaluation: 'not_run', exitStatus: `unknown_error (${action})` };
  }
  return { ...ends(raw), exitStatus: raw };
}

function ends(status: string): Omit<MlgymEnd, 'exitStatus'> {
  if (status === 'submitted') return { endReason: 'submit', finalEvaluation: 'ok' };
  if (status === 'exit_forfeit' || status === 'skipped') return { endReason: 'forfeit', finalEvaluation: 'not_run' };
  if (status === 'early_exit' || status.startsWith('unknown_error ('))
    return { endReason: 'runtime', finalEvaluation: 'not_run' };
  const [, word = '', cause = ''] = /^([a-z_]+) \(([a-z_]+)\)$/.exec(status) ?? [];
  const endReason = Object.hasOwn(CAUSES, cause) ? CAUSES[cause] : undefined;
  const finalEvaluation = Object.hasOwn(FINAL, word) ? FINAL[word] : undefined;
  if (endReason !== undefined && finalEvaluation !== undefined) return { endReason, finalEvaluation };
  // `<ErrorName>, <message>, (<cause>)`: the evaluator itself crashed.
  const [, crashed = ''] = /^\w+, [\s\S]*, \(([a-z_]+)\)$/.exec(status) ?? [];
  if (Object.hasOwn(CAUSES, crashed))
    return { endReason: CAUSES[crashed] ?? 'unknown', finalEvaluation: 'evaluator_error' };
  return { endReason: 'unknown', finalEvaluation: 'not_run' };
}
