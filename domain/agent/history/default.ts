import type { HistoryProcessor } from './prompt-message.js';

/** Everything, as it was. */
export const wholeHistory: HistoryProcessor = (messages) => [...messages];
