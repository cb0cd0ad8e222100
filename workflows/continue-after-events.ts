/** A short history, which a worker that takes over replays quickly. */
export const CONTINUE_BATCH_AFTER_EVENTS = 1_000;
