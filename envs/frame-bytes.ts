export const MOST_FRAME_BYTES = 4 * 1024 * 1024;
