import type { ChatMessage, ToolDefinition } from '../../../domain/model/model.js';
import { openAiWire } from './openai-wire.js';
import { said, type Wire } from './wire.js';

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

/** OpenAI's responses; keys and errors are those of chat completions. */
export const responsesWire: Wire = {
  keyOf: (headers) => openAiWire.keyOf(headers),
  error: (kind, about) => openAiWire.error(kind, about),

  messages: (body) => [
    ...(typeof body['instructions'] === 'string' ? [{ role: 'system' as const, content: body['instructions'] }] : []),
    ...itemsOf(body).flatMap((item) => messageOf(item) ?? []),
  ],

  tools: (body) => [
    ...((body['tools'] ?? []) as ToolDefinition[]),
    ...itemsOf(body).flatMap(({ type, tools }) => (type === 'additional_tools' ? (tools ?? []) : [])),
  ],

  refusal(body) {
    if (typeof body['model'] !== 'string') return 'no model';
    const items = itemsOf(body);
    if (items.length === 0) return 'no input';
    if (body['store'] !== false) return 'this simulator keeps nothing: store must be false';
    const calls = new Set(items.filter(({ type }) => /_call$/.test(type ?? '')).map((item) => item.call_id));
    const orphan = items.some((item) => /_call_output$/.test(item.type ?? '') && !calls.has(item.call_id));
    return orphan ? 'a tool result without a call' : null;
  },

  usage: (usage) => ({
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }),

  answer(id, model, reply, usage) {
    const message = {
      ...{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: reply.text ?? '', annotations: [] }],
    };
    const calls = (reply.toolCalls ?? []).map((call, index) => ({
      ...{ id: `fc_${id}_${index}`, type: 'function_call', status: 'completed' },
      ...{ call_id: call.id, name: call.name, arguments: call.arguments },
    }));
    const output = [...(reply.text === undefined && calls.length > 0 ? [] : [message]), ...calls];
    return {
      ...{ id, object: 'response', created_at: 1_700_000_000, status: 'completed', model },
      output: reply.empty === true ? [] : output,
      ...(usage === null ? {} : { usage }),
    };
  },
};
