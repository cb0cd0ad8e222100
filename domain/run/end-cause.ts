/** Which part failed when a run ends by no fault of its agent. Imports nothing: workflows use it. */

export const END_CAUSES = ['image', 'engine', 'evaluator', 'provider', 'program', 'services'] as const;
/**
 * `image`: no image could be had; `engine`: the container engine or the sandbox; `evaluator`: the task's evaluator or its container;
 * `provider`: the model's provider, or the way to it; `program`: the agent's own program; `services`: PostgreSQL or Temporal.
 */
export type EndCause = (typeof END_CAUSES)[number];

/** So many runs of a batch that end in a row by one cause pause it, unless it says otherwise. */
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

/** By the activity that failed; null: none did, so the run lost its containers too often. */
export const causeOfActivity = (activityType: string | null): EndCause =>
  activityType === null ? 'engine' : (CAUSE_OF_ACTIVITY[activityType] ?? 'services');

export const isEndCause = (value: unknown): value is EndCause => END_CAUSES.some((cause) => cause === value);

/** What failed when a run ended; null: nothing of ours. An evaluator that fails at the end leaves its run without a score, too. */
export const causeOfEnd = (end: { cause?: EndCause; finalEvaluation: string }): EndCause | null =>
  end.cause ?? (end.finalEvaluation === 'evaluator_error' ? 'evaluator' : null);

const parts = new WeakMap<Error, EndCause>();

/** What `work` throws names the part that failed, unless it does already. */
export async function attributed<T>(part: EndCause, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error ? naming(isUnreached(error) ? 'engine' : part, error) : error;
  }
}

/** The same error, which names the part that failed, unless it does already. */
export function naming<E extends Error>(part: EndCause, error: E): E {
  if (partOf(error) === undefined) parts.set(error, part);
  return error;
}

/** The part that the error, or what it was made from, names; undefined: none. */
export function partOf(error: unknown): EndCause | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const part = parts.get(at);
    if (part !== undefined) return part;
  }
  return undefined;
}

/** An engine that is away fails at whatever it is asked first. */
const isUnreached = (error: unknown): boolean =>
  error instanceof Error && ((error as { syscall?: unknown }).syscall === 'connect' || isUnreached(error.cause));
