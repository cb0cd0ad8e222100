/** Of a batch, whose history a worker that takes it over replays in a moment, even on a busy machine. */
export const CONTINUE_BATCH_AFTER_EVENTS = 1_000;
