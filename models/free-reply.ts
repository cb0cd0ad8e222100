import type { DecodedReply } from '../domain/agent/reply-encoding.js';
import type { ChatMessage, ModelReply, TokenUsage } from '../domain/model.js';

const written = ({ content, toolCalls = [] }: Pick<ChatMessage, 'content' | 'toolCalls'>): string =>
  content + toolCalls.map((call) => call.name + call.arguments).join('');
const tokens = (text: string): number => Math.ceil(text.length / 4);

/** Token estimate for programs and people: four characters each. */
const roughUsage = (messages: readonly ChatMessage[], { text, toolCalls }: DecodedReply): TokenUsage => ({
  inputTokens: tokens(messages.map(written).join('')),
  outputTokens: tokens(written({ content: text, ...(toolCalls === undefined ? {} : { toolCalls }) })),
  cachedTokens: 0,
  reasoningTokens: 0,
});

/** A free reply, in the form of a model's. */
export const freeReply = (
  messages: readonly ChatMessage[],
  said: DecodedReply,
  usage = roughUsage(messages, said),
): ModelReply => ({
  ...said,
  usage,
  costUsd: '0',
  finishReason: said.toolCalls === undefined ? 'stop' : 'tool_calls',
});
