/** Bits of a step's badges in lists without texts. Imports nothing: the page uses it. */
export const STEP_BADGES = {
  /** From the fork's origin. */
  copied: 1,
  /** With its sandbox. */
  lost: 2,
  timedOut: 4,
  running: 8,
  /** No command, text or outcome: programs have steps with a text alone, or without an answer. */
  unreadable: 16,
} as const;

export const STEP_TEXTS = ['response', 'thought', 'action', 'observation'] as const;
export type StepText = (typeof STEP_TEXTS)[number];
