import type { ChatMessage } from '../../model/model.js';

/** A message before it is sent, with what it is: history processors shorten some kinds and never others. */
export interface PromptMessage extends ChatMessage {
  origin: 'system' | 'demonstration' | 'task' | 'reply' | 'observation';
  /** No later prompt of the run shows it otherwise. Absent: one may. */
  settled?: true;
}

/** Returns as many messages as it gets, in the same order, with the same roles and calls: only contents change. */
export interface HistoryProcessor {
  /** The messages of a prompt. */
  show(messages: readonly PromptMessage[]): PromptMessage[];
  /**
   * Drops what no prompt of the run shows from now on, so that a run's messages can be kept from step to step without it: whatever
   * comes after them, `show` returns the same contents for settled messages as for whole ones.
   */
  settle(messages: readonly PromptMessage[]): PromptMessage[];
}

/** Lines of a text; a line end at its end begins no further one. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return /[\r\n]$/.test(text) ? ends : ends + 1;
}

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);

/** What stands for a message whose content was left out. */
const omitted = (what: string, content: string): string => `[${what} left out: ${lines(countLines(content))}]`;
/** An observation that no prompt shows any more. */
export const withoutOutput = (message: PromptMessage): PromptMessage => ({
  ...message,
  content: omitted('older output', message.content),
  settled: true,
});
export const outdatedWindow = (count: number): string => `[older view of this file left out: ${lines(count)}]`;
