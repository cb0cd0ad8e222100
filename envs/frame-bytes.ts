/** Largest frame that a client may send over a WebSocket, in bytes. */
export const MOST_FRAME_BYTES = 4 * 1024 * 1024;
