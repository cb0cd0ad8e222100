import type { AttackedTask } from './exploit.js';

/**
 * What an attack may come to.
 * `starter`: valid, and no better than the untouched starter, which is what the attack hands in · `optimum`: valid, and no better
 * than the best honest play · `rejected`: the last evaluation is rejected with a reason · `no_artefact`: there is nothing to
 * evaluate · `unsure`: a race decides whether it is valid; no better than the starter in any case.
 */
export type Expectation = 'starter' | 'optimum' | 'rejected' | 'no_artefact' | 'unsure';

/** Scores of honest work on the ranking split, in the metric's own direction; `slack`: three standard errors of the noise. */
export const HONEST: Record<
  AttackedTask,
  { starter: number; optimum: number; slack: number; direction: 'maximize' | 'minimize' }
> = {
  battleOfSexes: { starter: 1.0233, optimum: 1.44, slack: 0.012, direction: 'maximize' },
  blotto: { starter: -0.248, optimum: 0.2475, slack: 0.008, direction: 'maximize' },
  csvClassification: { starter: 0.56, optimum: 1, slack: 0, direction: 'maximize' },
  programPredict: { starter: 5.2, optimum: 0, slack: 0.05, direction: 'minimize' },
};

/** Is the score better than honest work of this level? */
export function better(task: AttackedTask, score: number, than: 'starter' | 'optimum'): boolean {
  const honest = HONEST[task];
  const sign = honest.direction === 'maximize' ? 1 : -1;
  return sign * (score - honest[than]) > honest.slack;
}
