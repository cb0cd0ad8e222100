/** A history of this many events is left for a fresh one; Temporal itself suggests it at 4,096. */
export const CONTINUE_AFTER_EVENTS = 3_000;
