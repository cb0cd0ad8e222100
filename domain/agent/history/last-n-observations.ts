import { type HistoryProcessor, omitted } from './prompt-message.js';

/** The task and the last n of task and observations as they were; of the others a line that counts their lines. */
export const lastNObservations =
  (n: number): HistoryProcessor =>
  (messages) => {
    const shown = messages.filter(({ origin }) => origin === 'task' || origin === 'observation');
    const kept = new Set([...shown.slice(0, 1), ...shown.slice(-n)]);
    return messages.map((message) =>
      message.origin === 'observation' && !kept.has(message)
        ? { ...message, content: omitted('older output', message.content) }
        : message,
    );
  };
