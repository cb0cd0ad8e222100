import type { EvaluationKind, EvaluationStatus, Isolation } from '../../domain/run/run.js';
import type { Direction } from '../../domain/run/score.js';

export const DIRECTIONS = ['maximize', 'minimize'] as const satisfies readonly Direction[];
export const ISOLATIONS = ['container', 'none'] as const satisfies readonly Isolation[];
export const EVALUATION_KINDS = [
  'validate',
  'submit',
  'forced',
  'baseline',
] as const satisfies readonly EvaluationKind[];

/** `pending`: numbered, without a result yet · `not_run`: its run ended first. */
export const EVALUATION_ROW_STATUSES = [
  'pending',
  'not_run',
  'ok',
  'no_artefact',
  'rejected',
  'evaluator_error',
] as const satisfies readonly (EvaluationStatus | 'pending' | 'not_run')[];

/**
 * `reserved`: no answer yet · `confirmed`: the answer is stored and counted · `unconfirmed`: cut
 * off, may be billed, counts as its reservation, apart from the ledger · `failed`: refused, not
 * billed.
 */
export const CALL_STATUSES = ['reserved', 'confirmed', 'unconfirmed', 'failed'] as const;
