/** Continue as new after this many events; Temporal itself suggests it at 4,096. */
export const CONTINUE_AFTER_EVENTS = 3_000;
