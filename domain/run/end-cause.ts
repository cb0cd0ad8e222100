/** What failed when a run ends by no fault of its agent. Imports nothing: workflows use it. */

export const END_CAUSES = ['image', 'engine', 'evaluator', 'provider', 'program', 'services'] as const;
/**
 * `engine`: the container engine or the sandbox. `evaluator`: also its container. `provider`: also
 * the network to it. `program`: the agent's own. `services`: PostgreSQL or Temporal.
 */
export type EndCause = (typeof END_CAUSES)[number];

/** Default number of runs in a row with one cause of end that pauses a batch. */
export const DEFAULT_BREAKER = 5;

const CAUSE_OF_ACTIVITY: Partial<Record<string, EndCause>> = {
  startContainer: 'engine',
  executeCommand: 'engine',
  runProgram: 'engine',
  takeSubmission: 'engine',
  evaluate: 'evaluator',
  evaluateHidden: 'evaluator',
  nextAction: 'provider',
};

/** By the failed activity; null: none failed, so the run lost its containers too often. */
export const causeOfActivity = (activityType: string | null): EndCause =>
  activityType === null ? 'engine' : (CAUSE_OF_ACTIVITY[activityType] ?? 'services');

export const isEndCause = (value: unknown): value is EndCause => END_CAUSES.some((cause) => cause === value);

/** Null: nothing failed. Includes an evaluator that failed at the end: the run has no score. */
export const causeOfEnd = (end: { cause?: EndCause; finalEvaluation: string }): EndCause | null =>
  end.cause ?? (end.finalEvaluation === 'evaluator_error' ? 'evaluator' : null);

const parts = new WeakMap<Error, EndCause>();

/** Names `part` in what `work` throws, unless the error names one. */
export async function attributed<T>(part: EndCause, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error ? naming(isUnreached(error) ? 'engine' : part, error) : error;
  }
}

export function naming<E extends Error>(part: EndCause, error: E): E {
  if (partOf(error) === undefined) parts.set(error, part);
  return error;
}

/** The part that the error or its causes name. */
export function partOf(error: unknown): EndCause | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const part = parts.get(at);
    if (part !== undefined) return part;
  }
  return undefined;
}

/** The engine is not reachable, whatever was called. */
const isUnreached = (error: unknown): boolean =>
  error instanceof Error && ((error as { syscall?: unknown }).syscall === 'connect' || isUnreached(error.cause));
