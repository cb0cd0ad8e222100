import { type HistoryProcessor, type PromptMessage, withoutOutput } from './prompt-message.js';

/** Keeps the last n of task and observations; a line with their line count replaces others. */
export function lastNObservations(n: number): HistoryProcessor {
  const lastN = (messages: readonly PromptMessage[]): PromptMessage[] => {
    const shown = messages.filter(({ origin }) => origin === 'task' || origin === 'observation');
    const kept = new Set([...shown.slice(0, 1), ...shown.slice(-n)]);
    return messages.map((message) =>
      message.origin === 'observation' && message.settled !== true && !kept.has(message)
        ? withoutOutput(message)
        : message,
    );
  };
  // An omitted observation stays omitted.
  return { show: lastN, settle: lastN };
}
