import type { HistoryProcessor } from './prompt-message.js';

export const wholeHistory: HistoryProcessor = {
  show: (messages) => [...messages],
  settle: (messages) => [...messages],
};
