/** Time limits of a run's next command. Workflows import this at run time: it imports nothing. */
export interface RunClock {
  commandSeconds: number;
  /** Of the run, without waiting; 0: no limit. */
  wallSeconds: number;
  /** Used of `wallSeconds`. */
  elapsedMs: number;
  /** Epoch milliseconds of the run's deadline; null: none. */
  endsBy: number | null;
}

export const wallSecondsLeft = ({ wallSeconds, elapsedMs }: Pick<RunClock, 'wallSeconds' | 'elapsedMs'>): number =>
  wallSeconds === 0 ? Infinity : wallSeconds - elapsedMs / 1000;

/** Longest time until the evaluation; undefined: unknown. */
export const secondsToEnd = (
  limits: { wallSeconds: number; evaluationSeconds: number },
  elapsedMs: number,
): number | undefined =>
  limits.wallSeconds === 0
    ? undefined
    : Math.ceil(Math.max(0, limits.wallSeconds - elapsedMs / 1000) + limits.evaluationSeconds);

/** Wall-clock time: a deadline includes all waiting. */
export const secondsUntil = (endsBy: number | null | undefined, now: number): number =>
  endsBy == null ? Infinity : (endsBy - now) / 1000;

/** Whole seconds, at least one. */
export const commandTimeLimit = (clock: RunClock, now: number): number =>
  Math.max(1, Math.ceil(Math.min(clock.commandSeconds, wallSecondsLeft(clock), secondsUntil(clock.endsBy, now))));
