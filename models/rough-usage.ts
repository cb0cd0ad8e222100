import type { ChatMessage, ModelReply, ModelRequest, TokenUsage } from '../domain/model.js';

const written = ({ content, toolCalls = [] }: Pick<ChatMessage, 'content' | 'toolCalls'>): string =>
  content + toolCalls.map((call) => call.name + call.arguments).join('');
const tokens = (text: string): number => Math.ceil(text.length / 4);

/** Tokens of those whom nobody counts, programs and people: four characters each. */
export const roughUsage = (
  { messages }: Pick<ModelRequest, 'messages'>,
  { text, toolCalls }: Pick<ModelReply, 'text' | 'toolCalls'>,
): TokenUsage => ({
  inputTokens: tokens(messages.map(written).join('')),
  outputTokens: tokens(written({ content: text, ...(toolCalls === undefined ? {} : { toolCalls }) })),
  cachedTokens: 0,
  reasoningTokens: 0,
});
