/** Continue as new after this many events; Temporal itself suggests it at 4,096. */
export const CONTINUE_AFTER_EVENTS = 3_000;

/** Of a batch, whose history a worker that takes it over replays in a moment, even on a busy machine. */
export const CONTINUE_BATCH_AFTER_EVENTS = 1_000;
