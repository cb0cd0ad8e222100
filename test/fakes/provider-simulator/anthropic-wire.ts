import type { ChatMessage, ToolDefinition } from '../../../domain/model/model.js';
import { blank, type ErrorName, said, type Wire } from './wire.js';

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
}
interface Turn {
  role: 'user' | 'assistant';
  content: string | Block[];
}
const turnsOf = (body: Record<string, unknown>): Turn[] => (body['messages'] ?? []) as Turn[];
const blocksOf = (turn: Turn): Block[] =>
  typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : turn.content;

const ERRORS: Record<ErrorName, (about: { model: string; key: string }) => [number, string, string]> = {
  rate_limit: () => [429, 'rate_limit_error', 'This request would exceed your rate limit'],
  quota: () => [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'],
  server_error: () => [500, 'api_error', 'Internal server error'],
  overloaded: () => [529, 'overloaded_error', 'Overloaded'],
  context_overflow: () => [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  unauthorized: ({ key }) => [401, 'authentication_error', `invalid x-api-key ${key}`],
  forbidden: () => [403, 'permission_error', 'Your API key does not have permission to use the specified resource'],
  not_found: ({ model }) => [404, 'not_found_error', `model: ${model}`],
  prompt_filtered: () => [400, 'invalid_request_error', 'Output blocked by content filtering policy'],
  bad_request: ({ key }) => [400, 'invalid_request_error', `tools.0: something is wrong, said ${key}`],
};

export const anthropicWire: Wire = {
  // Older clients send x-api-key, newer ones a bearer token.
  keyOf: (headers) => String(headers['x-api-key'] ?? (headers.authorization ?? '').replace(/^Bearer /, '')),

  messages(body) {
    const system = (
      typeof body['system'] === 'string'
        ? [{ type: 'text', text: body['system'] }]
        : ((body['system'] ?? []) as Block[])
    ).map((block): ChatMessage => ({
      role: 'system',
      content: block.text ?? '',
    }));
    return [...system, ...turnsOf(body).flatMap(turnMessages)];
  },

  tools: (body) =>
    ((body['tools'] ?? []) as { name: string; description: string; input_schema: Record<string, unknown> }[]).map(
      (tool): ToolDefinition => ({ name: tool.name, description: tool.description, parameters: tool.input_schema }),
    ),

  refusal(body) {
    const model = body['model'];
    if (typeof model !== 'string') return 'no model';
    if (typeof body['max_tokens'] !== 'number') return 'no max_tokens';
    const turns = turnsOf(body);
    if (turns[0]?.role !== 'user') return 'the first message is not of the user';
    let open = new Set<string>();
    for (const [index, turn] of turns.entries()) {
      if (turns[index - 1]?.role === turn.role) return 'roles do not alternate';
      const blocks = blocksOf(turn);
      if (blocks.length === 0) return 'an empty message';
      for (const block of blocks) if (block.type === 'text' && blank(block.text)) return 'an empty text block';
      if (turn.role === 'user') {
        const leading = blocks.findIndex((block) => block.type !== 'tool_result');
        const results = leading === -1 ? blocks : blocks.slice(0, leading);
        if (blocks.slice(results.length).some((block) => block.type === 'tool_result'))
          return 'tool results must come first';
        for (const result of results) if (!open.delete(result.tool_use_id ?? '')) return 'a tool result without a call';
        if (open.size > 0) return 'a tool call without a result';
      }
      open = new Set();
      for (const block of blocks) {
        if (block.type !== 'tool_use') continue;
        if (!/^[A-Za-z0-9_-]{1,128}$/.test(block.name ?? '') || !/^[A-Za-z0-9_-]+$/.test(block.id ?? ''))
          return 'a bad name or id of a tool call';
        if (typeof block.input !== 'object' || block.input === null) return 'the input is no object';
        open.add(block.id ?? '');
      }
    }
    if (/-5(-|$)|opus-4-[78]/.test(model.replace(/^claude-(haiku|sonnet|opus)-4-5/, ''))) {
      for (const parameter of ['temperature', 'top_p']) if (parameter in body) return `unsupported ${parameter}`;
    }
    if ('temperature' in body && 'top_p' in body) return 'temperature and top_p cannot both be specified';
    return null;
  },

  usage: (usage) => ({
    input_tokens: usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens - usage.cacheWriteHourTokens,
      ephemeral_1h_input_tokens: usage.cacheWriteHourTokens,
    },
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  }),

  answer(id, model, reply, usage) {
    const calls =
      reply.rawToolCalls ??
      (reply.toolCalls ?? []).map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: JSON.parse(call.arguments) as unknown,
      }));
    const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' };
    const reason = reply.finishReason ?? (calls.length === 0 ? 'stop' : 'tool_calls');
    return {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content:
        reply.empty === true
          ? []
          : [...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]), ...calls],
      stop_reason: reason === 'refusal' ? 'refusal' : reasons[reason],
      stop_sequence: null,
      ...(usage === null ? {} : { usage }),
    };
  },

  error(kind, about) {
    const [status, type, message] = ERRORS[kind](about);
    return { status, body: { type: 'error', error: { type, message } } };
  },
};

function turnMessages(turn: Turn): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const blocks = blocksOf(turn);
  if (turn.role === 'assistant') {
    const calls = blocks.filter((block) => block.type === 'tool_use');
    const content = blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
    if (calls.length === 0) return [{ role: 'assistant', content }];
    const toolCalls = calls.map(({ id, name, input }) => ({
      id: id ?? '',
      name: name ?? '',
      arguments: JSON.stringify(input),
    }));
    return [{ role: 'assistant', content, toolCalls }];
  }
  for (const block of blocks) {
    if (block.type === 'tool_result')
      messages.push({ role: 'tool', content: said(block.content), toolCallId: block.tool_use_id ?? '' });
    else messages.push({ role: 'user', content: block.text ?? '' });
  }
  return messages;
}
