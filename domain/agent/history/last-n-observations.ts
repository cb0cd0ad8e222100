import { type HistoryProcessor, type PromptMessage, withoutOutput } from './prompt-message.js';

/** The task and the last n of task and observations as they were; of the others a line that counts their lines. */
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
  // What has left the window does not come back.
  return { show: lastN, settle: lastN };
}
