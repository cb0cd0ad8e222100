/** See docs/concepts/integrity.md. The database applies them (`find_integrity_flags`). */
export const INTEGRITY_RULES = [
  'beyond_bounds',
  'protected_write',
  'self_reported',
  'made_up_answers',
  'untouched_starter',
  'read_answers',
  'no_model_call',
  'other_model',
  'test_beats_validation',
  'same_image',
  'in_process',
  'live',
  'tried',
] as const;
export type IntegrityRule = (typeof INTEGRITY_RULES)[number];

/** `self_reported ×13`: number of flagged runs. */
export const flaggedRunsText = (flags: Partial<Record<IntegrityRule, number>>): string[] =>
  Object.entries(flags).map(([rule, runs]) => `${rule} ×${runs}`);
