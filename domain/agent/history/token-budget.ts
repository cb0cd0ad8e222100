import type { ToolCall } from '../../model.js';
import { estimateTokens } from '../../estimate-tokens.js';
import { clipObservation } from '../clip-observation.js';
import { callArguments } from '../parsers/tool-calls.js';
import { type HistoryProcessor, omitted, type PromptMessage } from './prompt-message.js';

/** Above what the provider will count. */
const tokensOf = (message: PromptMessage): number => estimateTokens([message]);
/** Characters that are left of what is cut. */
const LONG = 400;

const shortCall = (call: ToolCall): ToolCall => {
  const given = callArguments(call) ?? {};
  const short = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' ? clipObservation(value, LONG) : value,
  ]);
  return { ...call, arguments: JSON.stringify(Object.fromEntries(short)) };
};

const shortReply = (message: PromptMessage): PromptMessage => ({
  ...message,
  content: clipObservation(message.content, LONG),
  ...(message.toolCalls === undefined ? {} : { toolCalls: message.toolCalls.map(shortCall) }),
});
const noObservation = (message: PromptMessage): PromptMessage => ({
  ...message,
  content: omitted('older output', message.content),
});

/**
 * At most so many tokens, as well as can be estimated: first older observations are left out, then the texts and commands of older
 * replies are cut in their middle, then the newest exchange is. System, task and demonstrations are never touched: when they alone
 * are too much, so is the result, and the provider will say so.
 */
export const tokenBudget =
  (tokens: number): HistoryProcessor =>
  (messages) => {
    const result = [...messages];
    let total = result.reduce((sum, message) => sum + tokensOf(message), 0);
    const replace = (index: number, by: (message: PromptMessage) => PromptMessage): void => {
      const message = result[index];
      if (message === undefined || total <= tokens) return;
      const shorter = by(message);
      const saved = tokensOf(message) - tokensOf(shorter);
      if (saved <= 0) return;
      result[index] = shorter;
      total -= saved;
    };
    const indices = [...result.keys()];
    const observations = indices.filter((index) => result[index]?.origin === 'observation');
    const replies = indices.filter((index) => result[index]?.origin === 'reply');
    for (const index of observations.slice(0, -1)) replace(index, noObservation);
    for (const index of replies.slice(0, -1)) replace(index, shortReply);
    for (const index of replies.slice(-1)) replace(index, shortReply);
    for (const index of observations.slice(-1)) {
      for (let room = result[index]?.content.length ?? 0; total > tokens && room > LONG;) {
        room = Math.max(LONG, Math.floor(room * 0.7));
        replace(index, (message) => ({ ...message, content: clipObservation(messages[index]?.content ?? '', room) }));
      }
    }
    return result;
  };
