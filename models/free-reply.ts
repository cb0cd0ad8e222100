import type { DecodedReply } from '../domain/agent/reply-encoding.js';
import type { ChatMessage, ModelReply, TokenUsage } from '../domain/model/model.js';

const lengthOf = ({ content, toolCalls = [] }: Pick<ChatMessage, 'content' | 'toolCalls'>): number =>
  toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length);
const tokens = (characters: number): number => Math.ceil(characters / 4);

/** An estimate: four characters each. */
const roughUsage = (messages: readonly ChatMessage[], { text, toolCalls }: DecodedReply): TokenUsage => ({
  inputTokens: tokens(messages.reduce((sum, message) => sum + lengthOf(message), 0)),
  outputTokens: tokens(lengthOf({ content: text, ...(toolCalls === undefined ? {} : { toolCalls }) })),
  cachedTokens: 0,
  reasoningTokens: 0,
});

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
