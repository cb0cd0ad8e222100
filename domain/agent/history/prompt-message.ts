import type { ChatMessage } from '../../model/model.js';

/** `origin`: history processors shorten some kinds only. */
export interface PromptMessage extends ChatMessage {
  origin: 'system' | 'demonstration' | 'task' | 'reply' | 'observation';
  /** The content no longer changes in later prompts. */
  settled?: true;
  /** The next prompt omits the content. */
  leaves?: true;
}

/** Changes contents only, never the number, order, roles or calls of messages. */
export interface HistoryProcessor {
  show(messages: readonly PromptMessage[]): PromptMessage[];
  /** Drops what no later prompt shows: for settled messages `show` gives the same contents. */
  settle(messages: readonly PromptMessage[]): PromptMessage[];
}

/** A final line end begins no further line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return /[\r\n]$/.test(text) ? ends : ends + 1;
}

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);

const omitted = (what: string, content: string): string => `[${what} left out: ${lines(countLines(content))}]`;
export const withoutOutput = (message: PromptMessage): PromptMessage => ({
  ...message,
  content: omitted('older output', message.content),
  settled: true,
});
export const outdatedWindow = (count: number): string => `[older view of this file left out: ${lines(count)}]`;
