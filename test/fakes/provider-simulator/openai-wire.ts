import type { ChatMessage, ToolDefinition } from '../../../domain/model/model.js';
import { blank, type ErrorName, said, type Wire } from './wire.js';

interface Call {
  id: string;
  function: { name: string; arguments: string };
}
interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: Call[];
  tool_call_id?: string;
}
const messagesOf = (body: Record<string, unknown>): Message[] => (body['messages'] ?? []) as Message[];

export const ERRORS: Record<
  ErrorName,
  (about: { model: string; key: string }) => [number, string, string, string | null]
> = {
  rate_limit: () => [429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded'],
  quota: () => [429, 'You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'],
  server_error: () => [500, 'The server had an error while processing your request', 'server_error', null],
  overloaded: () => [503, 'The engine is currently overloaded', 'server_error', null],
  context_overflow: () => [
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
    'invalid_request_error',
    'context_length_exceeded',
  ],
  // The real API shows a part of the key; this one is worse.
  unauthorized: ({ key }) => [401, `Incorrect API key provided: ${key}`, 'invalid_request_error', 'invalid_api_key'],
  forbidden: () => [403, 'Project does not have access to this model', 'invalid_request_error', null],
  not_found: ({ model }) => [404, `The model '${model}' does not exist`, 'invalid_request_error', 'model_not_found'],
  prompt_filtered: () => [
    400,
    'The prompt triggered the content management policy',
    'invalid_request_error',
    'content_filter',
  ],
  bad_request: ({ key }) => [400, `Unsupported value, said ${key}`, 'invalid_request_error', 'unsupported_value'],
};

export const openAiWire: Wire = {
  keyOf: (headers) => (headers.authorization ?? '').replace(/^Bearer /, ''),

  messages: (body) =>
    messagesOf(body).map((message): ChatMessage => ({
      role: message.role,
      content: said(message.content),
      ...(message.tool_calls === undefined
        ? {}
        : { toolCalls: message.tool_calls.map((call) => ({ id: call.id, ...call.function })) }),
      ...(message.tool_call_id === undefined ? {} : { toolCallId: message.tool_call_id }),
    })),

  tools: (body) => ((body['tools'] ?? []) as { function: ToolDefinition }[]).map((tool) => tool.function),

  refusal(body) {
    const model = body['model'];
    if (typeof model !== 'string') return 'no model';
    const messages = messagesOf(body);
    if (messages.length === 0) return 'no messages';
    const open = new Set<string>();
    for (const message of messages) {
      if (message.role === 'tool') {
        if (!open.delete(message.tool_call_id ?? '')) return 'a tool result without a call';
      } else if (open.size > 0) return 'a tool call without a result';
      if (blank(message.content) && message.tool_calls === undefined) return 'an empty message';
      for (const call of message.tool_calls ?? []) {
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.function.name)) return 'a bad name of a function';
        open.add(call.id);
      }
    }
    if (open.size > 0) return 'a tool call without a result';
    if (/^(o\d|gpt-5)/.test(model)) {
      for (const parameter of ['temperature', 'top_p', 'max_tokens', 'seed'])
        if (parameter in body) return `unsupported parameter ${parameter}`;
    } else if (/^gpt-4/.test(model) && 'reasoning_effort' in body) return 'unsupported parameter reasoning_effort';
    return null;
  },

  usage: (usage) => ({
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }),

  answer(id, model, reply, usage) {
    const calls =
      reply.rawToolCalls ??
      reply.toolCalls?.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      }));
    const refused = reply.finishReason === 'refusal';
    const choice = {
      index: 0,
      finish_reason: refused ? 'stop' : (reply.finishReason ?? (calls === undefined ? 'stop' : 'tool_calls')),
      message: {
        role: 'assistant',
        content: refused || (calls !== undefined && reply.text === undefined) ? null : (reply.text ?? ''),
        refusal: refused ? (reply.text ?? 'I cannot help with that.') : null,
        ...(calls === undefined ? {} : { tool_calls: calls }),
      },
    };
    return {
      id,
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: reply.empty === true ? [] : [choice],
      ...(usage === null ? {} : { usage }),
    };
  },

  error(kind, about) {
    const [status, message, type, code] = ERRORS[kind](about);
    return { status, body: { error: { message, type, param: null, code } } };
  },
};
