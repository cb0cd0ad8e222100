import type { HistoryProcessor } from './prompt-message.js';

/** Everything, as it was. */
export const wholeHistory: HistoryProcessor = {
  show: (messages) => [...messages],
  settle: (messages) => [...messages],
};
