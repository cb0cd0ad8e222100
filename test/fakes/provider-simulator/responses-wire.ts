import type { ChatMessage, ToolDefinition } from '../../../domain/model/model.js';
import { openAiWire } from './openai-wire.js';
import { blank, said, type Wire } from './wire.js';

interface Item {
  type?: string;
  role?: string;
  content?: unknown;
  call_id?: string;
  name?: string;
  arguments?: string;
  input?: string;
  output?: unknown;
  tools?: ToolDefinition[];
}
const itemsOf = (body: Record<string, unknown>): Item[] =>
  typeof body['input'] === 'string'
    ? [{ type: 'message', role: 'user', content: body['input'] }]
    : ((body['input'] ?? []) as Item[]);

function messageOf(item: Item): ChatMessage | null {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call': {
      const call = { id: item.call_id ?? '', name: item.name ?? '', arguments: item.arguments ?? item.input ?? '' };
      return { role: 'assistant', content: '', toolCalls: [call] };
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', content: said(item.output), toolCallId: item.call_id ?? '' };
    case 'message':
    case undefined:
      return {
        role: item.role === 'assistant' || item.role === 'user' ? item.role : 'system',
        content: said(item.content),
      };
    default:
      return null;
  }
}

/** A text and the calls after it are one message. */
function joined(messages: ChatMessage[], message: ChatMessage): ChatMessage[] {
  const before = messages.at(-1);
  if (message.toolCalls === undefined || before?.role !== 'assistant') return [...messages, message];
  const toolCalls = [...(before.toolCalls ?? []), ...message.toolCalls];
  return [...messages.slice(0, -1), { ...before, toolCalls }];
}

/** OpenAI's responses; keys and errors are those of chat completions. */
export const responsesWire: Wire = {
  keyOf: (headers) => openAiWire.keyOf(headers),
  error: (kind, about) => openAiWire.error(kind, about),

  messages: (body) => [
    ...(typeof body['instructions'] === 'string' ? [{ role: 'system' as const, content: body['instructions'] }] : []),
    ...itemsOf(body)
      .flatMap((item) => messageOf(item) ?? [])
      .reduce<ChatMessage[]>(joined, []),
  ],

  tools: (body) => [
    ...((body['tools'] ?? []) as (ToolDefinition & { type?: string; strict?: boolean })[]).map(
      ({ type: _, strict: _strict, ...tool }) => tool,
    ),
    ...itemsOf(body).flatMap(({ type, tools }) => (type === 'additional_tools' ? (tools ?? []) : [])),
  ],

  refusal(body) {
    if (typeof body['model'] !== 'string') return 'no model';
    const items = itemsOf(body);
    if (items.length === 0) return 'no input';
    if (body['store'] !== false) return 'this simulator keeps nothing: store must be false';
    const calls = new Set(items.filter(({ type }) => /_call$/.test(type ?? '')).map((item) => item.call_id));
    const orphan = items.some((item) => /_call_output$/.test(item.type ?? '') && !calls.has(item.call_id));
    if (orphan) return 'a tool result without a call';
    for (const item of items) {
      if ((item.type ?? 'message') === 'message' && blank(said(item.content))) return 'an empty message';
      if (item.type === 'function_call' && !/^[A-Za-z0-9_-]{1,64}$/.test(item.name ?? '')) return 'a bad name';
    }
    if ('seed' in body) return 'unsupported parameter seed';
    if (/^(o\d|gpt-5)/.test(body['model'])) {
      for (const parameter of ['temperature', 'top_p'])
        if (parameter in body) return `unsupported parameter ${parameter}`;
    } else if (JSON.stringify(body['include'] ?? []).includes('encrypted')) return 'this model does not reason';
    return null;
  },

  usage: (usage) => ({
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }),

  answer(id, model, reply, usage) {
    const { finishReason, text = '' } = reply;
    const refused = finishReason === 'refusal';
    const message = {
      ...{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' },
      content: [refused ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] }],
    };
    const calls = (reply.toolCalls ?? []).map((call, index) => ({
      ...{ id: `fc_${id}_${index}`, type: 'function_call', status: 'completed' },
      ...{ call_id: call.id, name: call.name, arguments: call.arguments },
    }));
    const items: unknown[] = reply.rawToolCalls ?? calls;
    const output = [...(reply.text === undefined && items.length > 0 ? [] : [message]), ...items];
    const why = { length: 'max_output_tokens', content_filter: 'content_filter' }[finishReason as string] ?? null;
    return {
      ...{ id, object: 'response', created_at: 1_700_000_000, model },
      status: why === null ? 'completed' : 'incomplete',
      incomplete_details: why === null ? null : { reason: why },
      output: reply.empty === true ? [] : output,
      ...(usage === null ? {} : { usage }),
    };
  },
};
