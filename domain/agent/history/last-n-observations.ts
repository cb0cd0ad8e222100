import { type HistoryProcessor, type PromptMessage, withoutOutput } from './prompt-message.js';

/**
 * Keeps the last n of task and observations; a line with their line count replaces others. With
 * `block` it replaces that many at once, so that prompts between begin alike: it keeps up to
 * `n + block - 1`.
 */
export function lastNObservations(n: number, block = 1): HistoryProcessor {
  const lastN = (messages: readonly PromptMessage[]): PromptMessage[] => {
    const shown = messages.filter(({ origin }) => origin === 'task' || origin === 'observation');
    const omittedOf = (count: number): number => Math.max(0, Math.floor((count - n) / block) * block);
    const omitted = new Set(shown.slice(1, omittedOf(shown.length)));
    // Of a block, the rest of the prompt is in the cache: worth reading once more.
    const leaving =
      block > 1 ? undefined : shown.slice(1, omittedOf(shown.length + 1)).find((message) => !omitted.has(message));
    return messages.map((message) => {
      if (message.origin !== 'observation' || message.settled === true) return message;
      if (omitted.has(message)) return withoutOutput(message);
      return message === leaving ? { ...message, leaves: true } : message;
    });
  };
  // An omitted observation stays omitted.
  return {
    show: lastN,
    settle: (messages) => lastN(messages).map((message, at) => (message.leaves === true ? messages[at]! : message)),
  };
}
