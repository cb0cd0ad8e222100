/** What limits a run's next command in time. Workflow code uses this at run time: it imports nothing. */
export interface RunClock {
  /** Of one command. */
  commandSeconds: number;
  /** Of the run, waiting excluded; 0: no limit. */
  wallSeconds: number;
  /** Of these, used so far. */
  elapsedMs: number;
  /** When the run ends whatever it waits for, as milliseconds since 1970; null: never. */
  endsBy: number | null;
}

export const wallSecondsLeft = ({ wallSeconds, elapsedMs }: Pick<RunClock, 'wallSeconds' | 'elapsedMs'>): number =>
  wallSeconds === 0 ? Infinity : wallSeconds - elapsedMs / 1000;

/** What a run takes at most until it is evaluated; undefined: unknown. */
export const secondsToEnd = (
  limits: { wallSeconds: number; evaluationSeconds: number },
  elapsedMs: number,
): number | undefined =>
  limits.wallSeconds === 0
    ? undefined
    : Math.ceil(Math.max(0, limits.wallSeconds - elapsedMs / 1000) + limits.evaluationSeconds);

/** By the clock on the wall: a deadline includes all waiting. */
export const secondsUntil = (endsBy: number | null | undefined, now: number): number =>
  endsBy == null ? Infinity : (endsBy - now) / 1000;

/** A command is given at least a second, in whole seconds. */
export const commandTimeLimit = (clock: RunClock, now: number): number =>
  Math.max(1, Math.ceil(Math.min(clock.commandSeconds, wallSecondsLeft(clock), secondsUntil(clock.endsBy, now))));
