/** Bits of the badges of a step in lists without texts. Imports nothing: the page uses it. */
export const STEP_BADGES = {
  /** From the run that it is a fork of. */
  copied: 1,
  /** With its sandbox. */
  lost: 2,
  timedOut: 4,
  /** Its command has not ended. */
  running: 8,
  /** No reply could be parsed. */
  unreadable: 16,
} as const;

export const STEP_TEXTS = ['response', 'thought', 'action', 'observation'] as const;
export type StepText = (typeof STEP_TEXTS)[number];
